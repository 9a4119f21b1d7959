/** Makes untrusted text safe to print in a terminal, a log or a sentence. */

/**
 * C0 and C1 controls, line separators, bidi marks and isolates, zero-width and tag characters, variation
 * selectors, lone surrogates.
 */
const unsafeCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/**
 * Replaces control, bidirectional and invisible characters by escapes such as `\u{1b}`. The result is one
 * line.
 */
export const escapeControls = (text: string): string =>
  text.replace(unsafeCharacters, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);

/**
 * Replaces the same characters as JSON escapes them, except line breaks, those of CSV included, and tabs. A
 * line of JSON keeps its meaning: they can only be inside its strings.
 */
export const escapeForTerminal = (text: string): string =>
  text.replace(unsafeCharacters, (char, at: number) =>
    char === "\n" || char === "\t" || (char === "\r" && text[at + 1] === "\n") ? char : unicodeEscapes(char),
  );

const unicodeEscapes = (char: string): string =>
  char
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Wraps text in a first strong isolate (Unicode UAX #9, 3.1.2), so that bidi controls in it cannot reorder
 * the sentence around it. Unbalanced isolates in the text are opened or closed.
 */
export function isolateBidi(text: string): string {
  if (!bidiControls.test(text)) return text;
  let depth = 0;
  let unopened = 0;
  for (const char of text)
    if (char >= "\u2066" && char <= "\u2068") depth++;
    else if (char === "\u2069") depth > 0 ? depth-- : unopened++;
  return `${"\u2068".repeat(unopened + 1)}${text}${"\u2069".repeat(depth + 1)}`;
}
