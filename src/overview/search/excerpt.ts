/** Excerpts: the part of a text that shows its matched words. */

/** Characters of an excerpt: about three lines of a result. */
const excerptMax = 220;
/** Characters before the first matched word that give it context. */
const leadMax = 60;

/**
 * Returns the text on one line if it is short, else the part around its first matched word, cut at words.
 * @param matched words as the text writes them
 */
export function excerptOf(text: string, matched: readonly string[]): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= excerptMax) return line;
  const at = firstMatch(line, matched);
  const start = at <= leadMax ? 0 : line.indexOf(" ", at - leadMax) + 1;
  const cut = line.slice(start, start + excerptMax);
  const isEnd = start + excerptMax >= line.length;
  const lastSpace = cut.lastIndexOf(" ");
  const whole = isEnd ? cut : cut.slice(0, lastSpace > 0 ? lastSpace : excerptMax);
  return `${start > 0 ? "… " : ""}${whole.toWellFormed()}${isEnd ? "" : " …"}`;
}

/** Where the first matched word begins; 0 if there is none. */
function firstMatch(line: string, matched: readonly string[]): number {
  const found = matched.length > 0 ? matchedWords(matched).exec(line) : null;
  return found?.index ?? 0;
}

/** Matches whole words of a list, ignoring case. */
export const matchedWords = (matched: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${matched.map(RegExp.escape).join("|")})(?![\\p{L}\\p{N}])`, "giu");
