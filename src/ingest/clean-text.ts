/** Text of others is cleaned and cut, where it cannot be sent back to its author. */

/**
 * What reorders or hides the text around it: bidi marks, embeddings and isolates, zero-width and tag
 * characters, soft hyphens.
 */
const unseen =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const breaks = /[\s\u0000-\u001f\u007f-\u009f]+/g;

/**
 * One line of NFC text that holds nothing but its letters, at most `bytesMax` bytes of UTF-8, cut between
 * characters.
 */
export function cut(text: string, bytesMax: number): string {
  const line = Bun.stripANSI(text)
    .toWellFormed()
    .replace(unseen, "")
    .replace(breaks, " ")
    .trim()
    .normalize("NFC");
  if (Buffer.byteLength(line) <= bytesMax) return line;
  let bytes = Buffer.byteLength("…");
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(line.slice(0, bytesMax))) {
    bytes += Buffer.byteLength(segment);
    if (bytes > bytesMax) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
