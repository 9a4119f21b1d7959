/** Cuts text to the limits of a service, without breaking a character. */

export interface Fit {
  /** The most that the escaped text may measure. */
  max: number;
  /** Must be able to escape each character by itself. */
  escapeText?: (text: string) => string;
  /**
   * Default: UTF-16 code units. Services that count code points count fewer, so this is safe where their
   * documentation says "characters" only.
   */
  measure?: (text: string) => number;
}

const graphemes = new Intl.Segmenter();
const identity = (text: string): string => text;
const codeUnits = (text: string): number => text.length;
export const utf8Bytes = (text: string): number => Buffer.byteLength(text);

/** Returns the escaped text, cut between graphemes and ended with `…` if it is too long. */
export function fit(text: string, { max, escapeText = identity, measure = codeUnits }: Fit): string {
  const whole = escapeText(text);
  if (measure(whole) <= max) return whole;
  let left = max - measure("…");
  let cut = "";
  // Escaping never shortens, so no more than `max` code units can fit.
  for (const { segment } of graphemes.segment(text.slice(0, max))) {
    const escaped = escapeText(segment);
    left -= measure(escaped);
    if (left < 0) break;
    cut += escaped;
  }
  return `${cut.trimEnd()}…`;
}

/**
 * Puts a zero-width space after each `@`, so that a text cannot mention people or everyone in a channel; the
 * text looks the same.
 */
export const withoutMentions = (text: string): string => text.replaceAll("@", "@\u200b");
