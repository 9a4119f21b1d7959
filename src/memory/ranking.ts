/** How well a text answers a query: one formula for both databases. */
import type { SearchHit } from "../rows.ts";
import { wordsOf } from "../text/tokenizer.ts";
import type { Alternative, Want } from "./query-terms.ts";

export interface Scored {
  score: number;
  /** Words of the query and what they found: `retries → retry`. */
  why: string[];
}

/** BM25's two: how soon more of the same adds nothing, and how much a long text has to have more of it. */
const saturation = 1.2;
const lengthShare = 0.4;
const usualLength = 20;
/** A word of the heading counts as so many of the text. */
const headWorth = 2;
/** What a text loses that has none of the words. */
const coverageShare = 0.6;

interface Found {
  written: string;
  times: number;
}

export function score(
  wants: readonly Want[],
  { head, about, text }: Pick<SearchHit, "head" | "about" | "text">,
): Scored {
  const terms = new Map<string, Found>();
  const body = wordsOf(text);
  for (const [words, worth] of [
    [wordsOf(head), headWorth],
    [wordsOf(about), 1],
    [body, 1],
  ] as const)
    for (const { written, term, parts } of words)
      for (const one of [term, ...parts]) {
        const known = terms.get(one);
        if (known) known.times += worth;
        else terms.set(one, { written, times: worth });
      }
  const longer = 1 - lengthShare + (lengthShare * body.length) / usualLength;
  let sum = 0;
  let covered = 0;
  let wanted = 0;
  const why: string[] = [];
  for (const want of wants) {
    wanted += want.weight;
    let best: { worth: number; how: Alternative["how"]; written: string } | null = null;
    for (const { how, terms: needed, worth } of want.alternatives) {
      const found = how === "beginning" ? beginning(terms, needed[0] as string) : together(terms, needed);
      if (!found) continue;
      const value = (worth * found.times * (saturation + 1)) / (found.times + saturation * longer);
      if (!best || value > best.worth) best = { worth: value, how, written: found.written };
    }
    if (!best) continue;
    sum += want.weight * best.worth;
    covered += want.weight;
    why.push(reason(want.written, best.written, best.how));
  }
  return { score: wanted === 0 ? 0 : sum * (1 - coverageShare + (coverageShare * covered) / wanted), why };
}

function together(terms: Map<string, Found>, needed: readonly string[]): Found | null {
  let least: Found | null = null;
  for (const term of needed) {
    const found = terms.get(term);
    if (!found) return null;
    if (!least || found.times < least.times) least = found;
  }
  return least;
}

function beginning(terms: Map<string, Found>, start: string): Found | null {
  let most: Found | null = null;
  for (const [term, found] of terms)
    if (term.startsWith(start) && (!most || found.times > most.times)) most = found;
  return most;
}

const notes: Record<Alternative["how"], string> = {
  word: "",
  parts: "",
  joined: "",
  beginning: "",
  typo: " (typo)",
};

const reason = (asked: string, found: string, how: Alternative["how"]): string =>
  asked.toLowerCase() === found.toLowerCase() ? found : `${asked} → ${found}${notes[how]}`;
