/** Weighs the terms of a query as long as a paragraph, most of which is no part of the question. */
import { wordsOf } from "../../core/text/tokenizer.ts";

/** Only the rarest terms are kept: they say what it is about. */
const termsMax = 96;
/** A text that has the most frequent term of a long query is one of this many. */
const textsPerFrequent = 4;

/**
 * The terms of a long query, weighed as BM25 does. How many texts there are is estimated from its most
 * frequent term: their number would tell a limited caller of those it may not see.
 */
export function withoutBallast<Term extends { written: string }>(
  terms: readonly Term[],
  countOf: (term: Term) => number,
  query: string,
): (Term & { weight: number; sentences: readonly number[] })[] {
  const texts = textsPerFrequent * Math.max(...terms.map(countOf));
  const weightOf = (count: number) => Math.log(1 + (texts - count + 0.5) / (count + 0.5));
  const sentencesOf = sentencesByWord(query);
  return terms
    .map((term) => ({
      ...term,
      weight: weightOf(countOf(term)),
      sentences: sentencesOf.get(term.written) ?? [],
    }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, termsMax);
}

const sentenceEnd = /[.?!;]+(?=\s)|[。！？；]|\n/;

/** The places of the sentences that have each word. */
function sentencesByWord(query: string): Map<string, number[]> {
  const places = query
    .split(sentenceEnd)
    .flatMap((sentence, place) =>
      wordsOf(sentence).flatMap(({ written, parts }) => [written, ...parts].map((word) => ({ word, place }))),
    );
  return new Map(
    [...Map.groupBy(places, ({ word }) => word)].map(([word, list]) => [
      word,
      [...new Set(list.map(({ place }) => place))],
    ]),
  );
}
