/** The header structure of RPM 4: an index of tags, and the store of their values. */

/** Types of values, by the numbers of the format. */
const types = { int16: 3, int32: 4, string: 6, binary: 7, strings: 8, translated: 9 } as const;

export type Value =
  | { int16: number[] }
  | { int32: number[] }
  | { string: string }
  | { binary: Uint8Array }
  | { strings: string[] }
  | { translated: string };

/** Tags, by their numbers. */
export type Tags = Record<number, Value>;

const magic = Buffer.from("8eade80100000000", "hex");
const regionBytes = 16;

/**
 * Writes a header.
 *
 * @param region the tag whose region holds all others: 62 in the signature, 63 in the header
 */
export function rpmHeader(region: 62 | 63, tags: Tags): Buffer {
  const entries: Buffer[] = [];
  const store: Buffer[] = [];
  let size = 0;
  // Object.entries sorts keys that are numbers, as the format asks.
  for (const [tag, value] of Object.entries(tags)) {
    const { type, count, data, alignment } = encode(value);
    const padding = (alignment - (size % alignment)) % alignment;
    store.push(Buffer.alloc(padding), data);
    entries.push(words(Number(tag), type, size + padding, count));
    size += padding + data.length;
  }
  const indexBytes = (entries.length + 1) * regionBytes;
  const trailer = words(region, types.binary, -indexBytes, regionBytes);
  return Buffer.concat([
    magic,
    words(entries.length + 1, size + regionBytes),
    words(region, types.binary, size, regionBytes),
    ...entries,
    ...store,
    trailer,
  ]);
}

function encode(value: Value): { type: number; count: number; data: Buffer; alignment: number } {
  if ("int16" in value) {
    const data = Buffer.alloc(value.int16.length * 2);
    value.int16.forEach((number, index) => {
      data.writeUInt16BE(number, index * 2);
    });
    return { type: types.int16, count: value.int16.length, data, alignment: 2 };
  }
  if ("int32" in value)
    return { type: types.int32, count: value.int32.length, data: words(...value.int32), alignment: 4 };
  if ("binary" in value)
    return { type: types.binary, count: value.binary.length, data: Buffer.from(value.binary), alignment: 1 };
  const [type, texts] =
    "strings" in value
      ? [types.strings, value.strings]
      : "string" in value
        ? [types.string, [value.string]]
        : [types.translated, [value.translated]];
  const data = Buffer.from(texts.map((text) => `${text}\0`).join(""));
  return { type, count: texts.length, data, alignment: 1 };
}

/** 32-bit numbers, big-endian. */
export function words(...numbers: number[]): Buffer {
  const data = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, index) => {
    data.writeInt32BE(number | 0, index * 4);
  });
  return data;
}
