/** In the child: whether what a reviewer quoted from an older text, or marked by its lines, stands there as it did. */

import type { Target } from "../../marks/schema.ts";
import type { PlaceState } from "../schema.ts";
import { tagBefore } from "./html-words.ts";

/** Words before and after a quote by which it is told from others like it. */
const contextWords = 6;

export interface ComparedText {
  /** As it is written. */
  text: string;
  /** Free of formatting. */
  words: readonly string[];
  /** The styles and scripts of HTML. */
  look: string;
  /** Splits a part of the text in the same way. */
  split(part: string): string[];
  /** The words of one element of HTML; null if there is none. */
  element(selector: string): string[] | null;
}

/** The same words in another look may be what was asked for. */
export function placeInText(before: ComparedText, after: ComparedText, target: Target | null): PlaceState {
  const found = placeOfWords(before, after, target);
  return found === "unchanged" && before.look !== after.look ? "unknown" : found;
}

function placeOfWords(before: ComparedText, after: ComparedText, target: Target | null): PlaceState {
  if (isEqual(before.words, after.words)) return "unchanged";
  if (target?.css !== undefined && !target.quote && !target.lines)
    return placeOfElement(before.element(target.css), after.element(target.css));
  const quote = target && quotedIn(before, target);
  if (!quote || quote.exact.length === 0) return "unknown";
  const [old, fresh] = [occurrences(before.words, quote.exact), occurrences(after.words, quote.exact)];
  if (old.length === 0) return "unknown";
  if (fresh.length === 0) return "changed";
  const scoreOf = (words: readonly string[], at: number, [prefix, suffix]: readonly [string[], string[]]) =>
    shared(words.slice(Math.max(0, at - contextWords), at).toReversed(), prefix.toReversed()) +
    shared(words.slice(at + quote.exact.length, at + quote.exact.length + contextWords), suffix);
  const given = [quote.prefix, quote.suffix] as const;
  const marked = old.toSorted(
    (a, b) => scoreOf(before.words, b, given) - scoreOf(before.words, a, given),
  )[0] as number;
  if (old.length === fresh.length) return isShownAlike(marked, fresh[old.indexOf(marked)] as number);
  const end = marked + quote.exact.length;
  const context = [
    before.words.slice(Math.max(0, marked - contextWords), marked),
    before.words.slice(end, end + contextWords),
  ] as const;
  const best = fresh.toSorted(
    (a, b) => scoreOf(after.words, b, context) - scoreOf(after.words, a, context),
  )[0];
  const least = (context[0].length + context[1].length) / 2;
  return best !== undefined && scoreOf(after.words, best, context) >= least
    ? isShownAlike(marked, best)
    : "changed";

  function isShownAlike(at: number, now: number): PlaceState {
    return tagBefore(before.words, at) === tagBefore(after.words, now) ? "unchanged" : "changed";
  }
}

function placeOfElement(old: string[] | null, fresh: string[] | null): PlaceState {
  if (!old) return "unknown";
  return fresh && isEqual(old, fresh) ? "unchanged" : "changed";
}

interface Quoted {
  exact: string[];
  prefix: string[];
  suffix: string[];
}

function quotedIn({ text, split }: ComparedText, { quote, lines }: Target): Quoted | null {
  if (quote)
    return {
      exact: split(quote.exact),
      prefix: split(quote.prefix ?? ""),
      suffix: split(quote.suffix ?? ""),
    };
  if (!lines) return null;
  const rows = text.split(/\r\n|\r|\n/);
  const part = (from: number, to: number) => split(rows.slice(Math.max(0, from), to).join("\n"));
  return {
    exact: part(lines.from - 1, lines.to),
    prefix: part(lines.from - 3, lines.from - 1),
    suffix: part(lines.to, lines.to + 2),
  };
}

export const isEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, at) => word === other[at]);

function occurrences(words: readonly string[], part: readonly string[]): number[] {
  const found: number[] = [];
  for (let at = 0; at <= words.length - part.length; at++)
    if (part.every((word, offset) => words[at + offset] === word)) found.push(at);
  return found;
}

/** How many words are the same, from the first on. */
function shared(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  for (const [at, word] of one.slice(0, contextWords).entries()) if (word === other[at]) count++;
  return count;
}
