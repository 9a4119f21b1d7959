/** Text of others for a terminal or a log: whatever could act there is shown instead. */

/** C0 and C1 controls, line separators, bidi marks and isolates, zero-width and tag characters, variation tricks, lone surrogates. */
const active =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** `\u{1b}` for the escape character, and so on: one line, nothing moves, nothing hides. */
export const inert = (text: string): string => text.replace(active, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
