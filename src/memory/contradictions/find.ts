/**
 * The current decisions of a project that a text contradicts. The index of recall chooses the few that share
 * words with it; rules compare those.
 */
import { wordsOf } from "../../core/text/tokenizer.ts";
import type { MemoryReads } from "../port.ts";
import type { Match, SearchHit } from "../rows.ts";
import type { DecisionText } from "../schema.ts";
import { reviewSource } from "../set-ref.ts";
import { claimsOf } from "./claims.ts";
import { type Contradiction, contradictionOf } from "./contradiction.ts";
import { synonymsOf } from "./lexicon.ts";
import { isOtherCase } from "./scope.ts";

/** Words of the text that are looked up, and decisions that are read, compared, and returned. */
const wordsMax = 24;
const readMax = 150;
const comparedMax = 32;
export const contradictedMax = 3;
/** A word of more decisions is looked up together with another one. */
const frequentCount = 150;
const frequentPairsMax = 5;

export type Contradicted = Contradiction & { decision: SearchHit };

type Given = Pick<DecisionText, "project" | "text" | "source" | "source_ref"> & {
  supersedes?: number | undefined;
};

/** Those that a decision contradicts, without the one that it replaces: the most similar first. */
export async function findContradicted(data: MemoryReads, given: Given): Promise<Contradicted[]> {
  const claims = claimsOf(given.text);
  const match = await matchFor(data, given);
  if (claims.length === 0 || match === null) return [];
  const { project, supersedes, text } = given;
  const own = new Set(termsOf(text));
  const rows = await data.search([project], "decision", { match, project, order: "newest", limit: readMax });
  return rows
    .filter((row) => row.id !== supersedes && row.text !== text && isComparable(row, given))
    .map((decision) => ({ decision, shared: sharedShare(own, termsOf(decision.text)) }))
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, comparedMax)
    .flatMap(({ decision }) => {
      const found = isOtherCase(text, decision.text)
        ? null
        : contradictionOf(claims, claimsOf(decision.text));
      return found ? [{ ...found, decision }] : [];
    })
    .slice(0, contradictedMax);
}

/** Notes of rejections speak of their own asset: those of two assets do not contradict each other. */
const isComparable = (row: SearchHit, { source, source_ref }: Given): boolean =>
  row.source !== reviewSource || source !== reviewSource || row.source_ref === source_ref;

/** The share of the shorter text's terms that both have. */
function sharedShare(own: ReadonlySet<string>, others: readonly string[]): number {
  const distinct = new Set(others);
  return distinct.intersection(own).size / Math.max(1, Math.min(own.size, distinct.size));
}

const termsOf = (text: string): string[] => wordsOf(text.slice(0, 1_000)).map(({ term }) => term);

/** What a decision on the same subject may have: a rare word of the text, or two of its frequent ones. */
async function matchFor(data: MemoryReads, { project, text }: Given): Promise<Match | null> {
  const words: Match[] = [...new Set(termsOf(text))]
    .slice(0, wordsMax)
    .map((term) => ({ any: [term, ...synonymsOf(term)].map((one) => ({ term: one })) }));
  const counts = await data.countDecisions(project, words, frequentCount);
  const found = words.filter((_, at) => (counts[at] ?? 0) > 0);
  const isRare = (word: Match) => (counts[words.indexOf(word)] ?? 0) < frequentCount;
  const frequent = found.filter((word) => !isRare(word)).slice(0, frequentPairsMax);
  const pairs = frequent.flatMap((word, at) =>
    frequent.slice(at + 1).map((other) => ({ all: [word, other] })),
  );
  const any = [...found.filter(isRare), ...(frequent.length === 1 && found.length === 1 ? frequent : pairs)];
  return any.length > 0 ? { any } : null;
}
