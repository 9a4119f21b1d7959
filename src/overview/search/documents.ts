/** Searches documents in memory, with the matching, typo correction, and ranking of recall. */
import { perObject } from "../../core/lib/cache.ts";
import { parseQuery, type QueryTerm, type Vocabulary } from "../../memory/recall/query-terms.ts";
import { type FoundTerm, type Scored, score } from "../../memory/recall/ranking.ts";
import { noiseShare } from "../../memory/recall/search.ts";
import type { Match } from "../../memory/rows.ts";
import { memoryKinds } from "../../memory/schema.ts";
import type { DocumentIndex } from "./document-index.ts";
import { analyzeTitle, queryOf, relevanceOf } from "./relevance.ts";

export interface Searchable {
  /** The heading, whose words weigh more. */
  head: string;
  /** What its score counts for; 1 without. */
  weight?: number;
}

export type DocumentHit<D> = Scored & { document: D; relevance: number };

/** Analyzing takes much longer than scoring, so the headings of objects that stay the same are analyzed once. */
const analyzedHeads = perObject(({ head }: Searchable) => analyzeTitle(head));

/** Returns the best hits first; among equals, in the order of the documents. */
export async function searchDocuments<D extends Searchable>(
  index: DocumentIndex<D>,
  query: string,
  limit: number,
): Promise<DocumentHit<D>[]> {
  const terms = await parseQuery(vocabularyOf(index), null, query);
  if (terms.length === 0) return [];
  const known = queryOf(query, terms);
  const found = foundTerms(index, terms);
  const scored = index.documents
    .filter((document) => found.has(document))
    .map((document) => {
      const terms = found.get(document) as Map<string, FoundTerm>;
      return { document, ...score(known.terms, { terms, length: index.lengthOf(document) }) };
    })
    .filter((hit) => hit.score > 0)
    .map((hit) => ({ ...hit, score: hit.score * (hit.document.weight ?? 1) }))
    .toSorted((a, b) => b.score - a.score);
  const hits: DocumentHit<D>[] = [];
  for (const hit of scored) {
    // Its heading can double a score at most.
    if (hits.length >= limit && (hits[limit - 1] as DocumentHit<D>).score >= 2 * hit.score) break;
    const relevance = relevanceOf(known, hit, analyzedHeads(hit.document));
    insertByScore(hits, { ...hit, relevance, score: hit.score * (1 + relevance) });
  }
  const least = (hits[0]?.score ?? 0) * noiseShare;
  return hits.filter((hit) => hit.score > least).slice(0, limit);
}

/** Equal ones stay in their order. */
function insertByScore<D>(hits: DocumentHit<D>[], hit: DocumentHit<D>): void {
  const at = hits.findIndex(({ score }) => score < hit.score);
  hits.splice(at < 0 ? hits.length : at, 0, hit);
}

/** The terms of a query that each document has. */
function foundTerms<D>(index: DocumentIndex<D>, queryTerms: readonly QueryTerm[]) {
  const wanted = queryTerms.flatMap(({ alternatives }) =>
    alternatives.flatMap(({ type, terms }) =>
      type === "prefix" ? index.termsWithPrefix(terms[0] as string) : terms,
    ),
  );
  const found = new Map<D, Map<string, FoundTerm>>();
  for (const term of new Set(wanted))
    for (const [document, posting] of index.withTerm(term))
      found.getOrInsertComputed(document, () => new Map()).set(term, posting);
  return found;
}

const noCounts = Object.fromEntries(memoryKinds.map((kind) => [kind, 0])) as Record<
  (typeof memoryKinds)[number],
  number
>;

/** What the documents alone know: their words, and how many of them have each. */
const vocabularyOf = <D>(index: DocumentIndex<D>): Vocabulary => ({
  async countMatches(_, matches, max) {
    // Documents are no kind of memory; the sum over the kinds is what counts.
    return matches.map((match) => ({ ...noCounts, guidance: Math.min(matching(index, match).size, max) }));
  },
  textLanguages: async () => [],
  findSimilarWords: async (_, grams, limit) => index.similarWords(grams, limit),
});

function matching<D>(index: DocumentIndex<D>, match: Match): ReadonlySet<D> {
  if ("term" in match) {
    const terms = match.prefix ? index.termsWithPrefix(match.term) : [match.term];
    return new Set(terms.flatMap((term) => [...index.withTerm(term).keys()]));
  }
  const sets = ("all" in match ? match.all : match.any).map((part) => matching(index, part));
  const isAll = "all" in match;
  return sets.reduce(
    (found, set) => (isAll ? found.intersection(set) : found.union(set)),
    sets[0] ?? new Set(),
  );
}
