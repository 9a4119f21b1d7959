/** Searches a list of documents in memory, with the matching, typo correction, and ranking of recall. */
import { perObject } from "../../core/lib/cache.ts";
import { wordsOf } from "../../core/text/tokenizer.ts";
import { canHaveTypo, editsMax, trigramsOf } from "../../core/text/typo-candidates.ts";
import { parseQuery, type Vocabulary } from "../../memory/recall/query-terms.ts";
import { type Scored, score, type TextTerms, textTerms } from "../../memory/recall/ranking.ts";
import { noiseShare } from "../../memory/recall/search.ts";
import type { Match } from "../../memory/rows.ts";
import { memoryKinds } from "../../memory/schema.ts";
import { analyzeTitle, queryOf, relevanceOf } from "./relevance.ts";

export interface SearchDocument {
  /** The heading, whose words weigh more. */
  head: string;
  about: string;
  text: string;
  /** What its score counts for; 1 without. */
  weight?: number;
  /** What was analyzed before. */
  analysis?: Analysis;
}

/** What a document is searched by. */
export interface Analysis {
  terms: TextTerms;
  /** Its words that a typo can be corrected to. */
  forms: readonly string[];
}

export type DocumentHit<D> = Scored & { document: D; relevance: number };

/** Analyzing takes much longer than scoring, so documents that stay the same object are analyzed once. */
const analyzed = perObject(
  (document: SearchDocument): TextTerms => document.analysis?.terms ?? textTerms(document),
);
const analyzedHeads = perObject(({ head }: SearchDocument) => analyzeTitle(head));

/** Returns the best hits first; among equals, in the order of the documents. */
export async function searchDocuments<D extends SearchDocument>(
  documents: readonly D[],
  query: string,
  limit: number,
): Promise<DocumentHit<D>[]> {
  const terms = await parseQuery(vocabularyOf(documents), null, query);
  if (terms.length === 0) return [];
  const known = queryOf(query, terms);
  const hits = documents
    .map((document) => ({ document, ...score(terms, analyzed(document)) }))
    .filter((hit) => hit.score > 0)
    .map((hit) => {
      const relevance = relevanceOf(known, hit, analyzedHeads(hit.document));
      return { ...hit, relevance, score: hit.score * (1 + relevance) * (hit.document.weight ?? 1) };
    })
    .toSorted((a, b) => b.score - a.score);
  const least = (hits[0]?.score ?? 0) * noiseShare;
  return hits.filter((hit) => hit.score > least).slice(0, limit);
}

const noCounts = Object.fromEntries(memoryKinds.map((kind) => [kind, 0])) as Record<
  (typeof memoryKinds)[number],
  number
>;

/** What the documents alone know: their words, and how many of them have each. */
const vocabularyOf = (documents: readonly SearchDocument[]): Vocabulary => ({
  async countMatches(_, matches, max) {
    return matches.map((match) => {
      let count = 0;
      for (const document of documents) if (hasMatch(analyzed(document), match) && ++count === max) break;
      // Documents are no kind of memory; the sum over the kinds is what counts.
      return { ...noCounts, guidance: count };
    });
  },
  textLanguages: async () => [],
  async findSimilarWords(_, grams, limit) {
    const wanted = new Set(grams);
    const shared = (word: string) => trigramsOf(word).filter((gram) => wanted.has(gram)).length;
    // A word has as many trigrams as letters, and a typo changes at most `editsMax` of them.
    return [...new Set(documents.flatMap(formsOf))]
      .filter((word) => Math.abs(word.length - grams.length) <= editsMax + 1)
      .map((word) => ({ word, count: shared(word) }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count)
      .slice(0, limit)
      .map(({ word }) => word);
  },
});

function hasMatch({ terms }: TextTerms, match: Match): boolean {
  const has = (part: Match) => hasMatch({ terms, length: 0 }, part);
  if ("all" in match) return match.all.every(has);
  if ("any" in match) return match.any.some(has);
  if (!match.prefix) return terms.has(match.term);
  for (const term of terms.keys()) if (term.startsWith(match.term)) return true;
  return false;
}

const formsOf = perObject(
  ({ analysis, head, about, text }: SearchDocument): readonly string[] =>
    analysis?.forms ?? [
      ...new Set(wordsOf(`${head} ${about} ${text}`).flatMap(({ forms }) => forms.filter(canHaveTypo))),
    ],
);

export const analyze = (document: SearchDocument): Analysis => ({
  terms: analyzed(document),
  forms: formsOf(document),
});
