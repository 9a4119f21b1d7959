/**
 * Cleans and truncates text from webhooks, which is never rejected: its author would not see the
 * error.
 */
import { normalizeUnicode } from "./nfc.ts";

/**
 * Characters that reorder or hide the text around them: bidi marks, embeddings and isolates, zero-width and
 * tag characters, soft hyphens.
 */
const invisibleCharacters =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const whitespaceAndControls = /[\s\u0000-\u001f\u007f-\u009f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const controlsButBreaks = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Returns the text as one line in NFC, without escape sequences, control and invisible characters, truncated
 * between graphemes to at most `bytesMax` bytes of UTF-8.
 */
export const cleanLine = (text: string, bytesMax: number): string =>
  truncated(normalizeUnicode(visible(text).replace(whitespaceAndControls, " ").trim()), bytesMax);

/** Like `cleanLine`, with its line breaks and tabs. */
export const cleanProse = (text: string, bytesMax: number): string =>
  truncated(
    normalizeUnicode(
      visible(text)
        .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
        .replace(controlsButBreaks, " ")
        .trim(),
    ),
    bytesMax,
  );

const visible = (text: string): string => Bun.stripANSI(text).toWellFormed().replace(invisibleCharacters, "");

function truncated(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  let bytes = Buffer.byteLength("…");
  let result = "";
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, bytesMax))) {
    bytes += Buffer.byteLength(segment);
    if (bytes > bytesMax) break;
    result += segment;
  }
  return `${result.trimEnd()}…`;
}
