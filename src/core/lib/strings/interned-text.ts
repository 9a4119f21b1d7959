/**
 * Decodes short names that repeat, such as the keys of attributes, without making the same string again: for
 * most records of telemetry that is most of the work.
 */

const lengthMax = 64;
const slots = 1024;
const known: string[] = Array.from({ length: slots }, () => "");

/** The text of UTF-8 bytes. Names of more than 64 bytes are decoded each time. */
export function internedText(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0 || length > lengthMax) return bytes.toString("utf8", start, end);
  const middle = bytes[start + (length >> 1)] as number;
  const slot =
    (length * 67 + middle * 31 + (bytes[end - 1] as number) * 7 + (bytes[start] as number)) % slots;
  const name = known[slot] as string;
  if (isSame(name, bytes, start, length)) return name;
  const text = bytes.toString("utf8", start, end);
  known[slot] = text;
  return text;
}

/** Never true for text that is not ASCII, which is decoded each time. */
function isSame(name: string, bytes: Buffer, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let index = 0; index < length; index++) {
    const byte = bytes[start + index] as number;
    if (byte > 127 || name.charCodeAt(index) !== byte) return false;
  }
  return true;
}
