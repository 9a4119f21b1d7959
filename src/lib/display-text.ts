/** Text of others for a terminal or a log: whatever could act there is shown instead. */

/**
 * C0 and C1 controls, line separators, bidi marks and isolates, zero-width and tag characters, variation
 * tricks, lone surrogates.
 */
const active =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** `\u{1b}` for the escape character, and so on: one line, nothing moves, nothing hides. */
export const escapeControls = (text: string): string =>
  text.replace(active, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);

const directed = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Text of others inside a sentence that takes no markup: between a first strong isolate and its end (Unicode
 * UAX #9, 3.1.2), so that direction marks in it do not reorder what follows. Isolates are closed or opened as
 * often as the text itself lacks it.
 */
export function isolateBidi(text: string): string {
  if (!directed.test(text)) return text;
  let depth = 0;
  let unopened = 0;
  for (const char of text)
    if (char >= "\u2066" && char <= "\u2068") depth++;
    else if (char === "\u2069") depth > 0 ? depth-- : unopened++;
  return `${"\u2068".repeat(unopened + 1)}${text}${"\u2069".repeat(depth + 1)}`;
}
