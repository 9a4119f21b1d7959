/** The words of a clause as they are written. */
import { finiteVerbs, ignored, prepositions, stemOf } from "./lexicon.ts";

const token = /`[^`\n]+`|"[^"\n]{1,60}"|=|[\p{L}\p{N}](?:[\p{L}\p{N}_'+#]|[-./](?=[\p{L}\p{N}]))*/gu;

export interface Token {
  written: string;
  /** In quotes, or in those of code. */
  isQuoted: boolean;
  isCode: boolean;
  index: number;
}

export const tokensOf = (text: string): Token[] =>
  [...text.matchAll(token)].map(({ 0: written, index }) => ({
    written: written.replaceAll(/[`"]/g, "").replace(/'s?$/, ""),
    isQuoted: written.startsWith('"'),
    isCode: /^[`"]/.test(written),
    index,
  }));

/** "Failed payments" are payments, and to show disabled buttons disables none. */
export function isAdjective(words: readonly Token[], at: number): boolean {
  const [before, word, next] = [words[at - 1], words[at] as Token, words[at + 1]];
  if (!/(?:ed|en)$/.test(word.written) || !next) return false;
  const follows = next.written.toLowerCase();
  const isNoun = !prepositions.has(follows) && !finiteVerbs.has(follows) && !ignored().has(stemOf(follows));
  return isNoun && !/^(?:is|are|be|been|being|get|not)$/i.test(before?.written ?? "");
}
