/**
 * How well a thing answers a query, from 0 to 1, comparable between groups. What a person searches for is
 * most often named by its title; words in its text count less.
 */
import { wordsOf } from "../../core/text/tokenizer.ts";
import type { QueryTerm } from "../../memory/recall/query-terms.ts";
import { type Scored, score, type TextTerms, textTerms } from "../../memory/recall/ranking.ts";

/** What a title with all words of the query, and no other, adds to a text that has them. */
const titleWeight = 0.4;
/** Words of a longer title are not read: a decision without a heading is its own title. */
const titleMax = 200;

/** A query as one vocabulary knows it. */
export interface Query {
  terms: QueryTerm[];
  /** The share of its words that any text has. */
  known: number;
}

export function queryOf(text: string, terms: QueryTerm[]): Query {
  const words = new Set(wordsOf(text).map(({ term }) => term)).size;
  return { terms, known: words === 0 ? 0 : Math.min(1, terms.length / words) };
}

/** A title that is analyzed once, as queries are scored against it. */
export interface AnalyzedTitle {
  terms: TextTerms;
  /** How many words it has, those of compounds included. */
  words: number;
}

export function analyzeTitle(title: string): AnalyzedTitle {
  const head = title.slice(0, titleMax).toWellFormed();
  return {
    terms: textTerms({ head, about: "", text: "" }),
    words: wordsOf(head).reduce((sum, { parts }) => sum + Math.max(1, parts.length), 0),
  };
}

/** @param coverage the share of the known words that the whole text has */
export function relevanceOf(
  query: Query,
  { coverage }: Pick<Scored, "coverage">,
  title: AnalyzedTitle,
): number {
  return query.known * ((1 - titleWeight) * coverage + titleWeight * matchTitle(query, title));
}

/** The share of the query that the title has; one of many other words is worth down to half. */
function matchTitle({ terms }: Query, title: AnalyzedTitle): number {
  const { coverage, matched } = score(terms, title.terms);
  return title.words === 0 ? 0 : (coverage * (1 + Math.min(1, matched.length / title.words))) / 2;
}
