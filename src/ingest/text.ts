/** Text of others is cleaned and cut, where it cannot be sent back to its author. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** One line of NFC text without control characters, at most `bytesMax` bytes of UTF-8, cut between characters. */
export function cut(text: string, bytesMax: number): string {
  const line = text.toWellFormed().normalize("NFC").replace(control, " ").trim();
  if (Buffer.byteLength(line) <= bytesMax) return line;
  let bytes = Buffer.byteLength("…");
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(line.slice(0, bytesMax))) {
    bytes += Buffer.byteLength(segment);
    if (bytes > bytesMax) break;
    kept += segment;
  }
  return `${kept}…`;
}
