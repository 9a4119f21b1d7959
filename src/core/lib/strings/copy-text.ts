/** Copies of text. */

/**
 * Copies a text. A part of a text, such as a match, a word or a slice, holds the whole of it in memory: what
 * outlives a request has to be a copy.
 */
export function copyText(text: string): string {
  const copy = Buffer.from(text).toString();
  // Lone surrogates have no UTF-8.
  return copy === text ? copy : Buffer.from(text, "utf16le").toString("utf16le");
}
