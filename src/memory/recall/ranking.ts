/** Scores how well a text answers a query, by one formula for both databases, close to BM25. */

import { type AnalyzedText, analyzeText, languageTerm } from "../../core/text/language-terms.ts";
import { indexedTerms, type Word } from "../../core/text/tokenizer.ts";
import type { SearchHit } from "../rows.ts";
import type { Alternative, QueryTerm } from "./query-terms.ts";

export interface Scored {
  score: number;
  /** The share of the query that the text has, 0 to 1; a word that few texts have counts more. */
  coverage: number;
  /** The words of the query and what they matched: `retries → retry`. */
  why: string[];
  /** The matched words, as the text writes them. */
  matched: string[];
}

/** The terms of a text, which a query is scored against. */
export interface TextTerms {
  terms: ReadonlyMap<string, FoundTerm>;
  /** Words of the text, without its heading. */
  length: number;
}

/** BM25's k1: how soon further occurrences of a term stop adding to the score. */
const saturation = 1.2;
/** BM25's b: how much a long text is discounted. A long query finds some word of its own in any long text. */
const lengthWeight = { short: 0.4, long: 0.75 };
/** The length in words of a typical text. */
const averageLength = 20;
/** A word of the heading counts as this many words of the text. */
export const headWeight = 2;
/** Of a long query, neighboring sentences that count in full, and what the others count. */
const passageSentences = 2;
const otherSentencesWeight = 0.3;
/** The share of the score that depends on how many terms of the query the text has. */
const coverageWeight = 0.6;

export interface FoundTerm {
  /** The words that have it, as the text writes them. */
  written: string[];
  count: number;
}

/** Which terms of texts are counted. */
interface CountedTerms {
  has(term: string): boolean;
  of(word: Word): readonly string[];
}

const allTerms: CountedTerms = { has: () => true, of: indexedTerms };

/**
 * Analyzes a text for scoring.
 * @param counted for a text that only one query is scored against
 */
export function textTerms(
  { head, about, text }: Pick<SearchHit, "head" | "about" | "text">,
  counted: CountedTerms = allTerms,
): TextTerms {
  const analyzed = analyzeText(head, about, text);
  return {
    terms: countTerms(analyzed, [headWeight, 1, 1], counted),
    length: (analyzed.parts[2] as Word[]).length,
  };
}

/** The terms that the score of a query depends on: of most words none, which is found out once for each word. */
export function termsWantedBy(queryTerms: readonly QueryTerm[]): CountedTerms {
  const alternatives = queryTerms.flatMap((queryTerm) => queryTerm.alternatives);
  const exact = new Set(alternatives.flatMap(({ terms }) => terms));
  const prefixes = alternatives
    .filter(({ type }) => type === "prefix")
    .map(({ terms }) => terms[0] as string);
  const has = (term: string) => exact.has(term) || prefixes.some((prefix) => term.startsWith(prefix));
  const wanted = new Map<Word, string[]>();
  return { has, of: (word) => wanted.getOrInsertComputed(word, () => indexedTerms(word).filter(has)) };
}

/** Scores a text against the terms of a query; 0 means that it has none of them. */
export function score(queryTerms: readonly QueryTerm[], { terms, length }: TextTerms): Scored {
  const isLong = queryTerms.some(({ sentences }) => sentences !== undefined);
  const discount = isLong ? lengthWeight.long : lengthWeight.short;
  const lengthFactor = 1 - discount + (discount * length) / averageLength;
  const values: TermValue[] = [];
  let covered = 0;
  let total = 0;
  const why: string[] = [];
  const matched = new Set<string>();
  for (const queryTerm of queryTerms) {
    total += queryTerm.weight;
    let best: { value: number; type: Alternative["type"]; written: string[] } | null = null;
    for (const { type, terms: required, weight } of queryTerm.alternatives) {
      const found = findTerm(terms, type, required);
      if (!found) continue;
      const value = (weight * found.count * (saturation + 1)) / (found.count + saturation * lengthFactor);
      if (!best || value > best.value) best = { value, type, written: found.written };
    }
    if (!best) continue;
    values.push({ sentences: queryTerm.sentences ?? [], value: queryTerm.weight * best.value });
    covered += queryTerm.weight;
    why.push(reason(queryTerm.written, best.written[0] as string, best.type));
    for (const written of best.written) matched.add(written);
  }
  const coverage = total === 0 ? 0 : covered / total;
  return {
    score: sumOf(values, isLong) * (1 - coverageWeight + coverageWeight * coverage),
    coverage,
    why,
    matched: [...matched],
  };
}

interface TermValue {
  sentences: readonly number[];
  value: number;
}

/**
 * Adds up what the terms of a query are worth. A long query says in a few of its sentences what it is
 * about, so those with the highest sum count more than the others.
 */
function sumOf(values: readonly TermValue[], isLong: boolean): number {
  const all = values.reduce((sum, { value }) => sum + value, 0);
  if (!isLong) return all;
  const bySentence: number[] = [];
  for (const { sentences, value } of values)
    for (const sentence of sentences) bySentence[sentence] = (bySentence[sentence] ?? 0) + value;
  const passages = Array.from(bySentence, (_, first) =>
    bySentence.slice(first, first + passageSentences).reduce((sum, value) => sum + (value ?? 0), 0),
  );
  const most = Math.min(all, Math.max(0, ...passages));
  return most + otherSentencesWeight * (all - most);
}

/** Counts the terms of a text. @param weights what a word of each part counts */
function countTerms(
  { parts, language }: AnalyzedText,
  weights: readonly number[],
  counted: CountedTerms,
): Map<string, FoundTerm> {
  const terms = new Map<string, FoundTerm>();
  const add = (term: string, written: string, weight: number) => {
    const found = terms.get(term);
    if (!found) return void terms.set(term, { written: [written], count: weight });
    found.count += weight;
    if (!found.written.includes(written)) found.written.push(written);
  };
  for (const [index, words] of parts.entries())
    for (const word of words) {
      const weight = weights[index] as number;
      for (const term of counted.of(word)) add(term, word.written, weight);
      const stem = language && languageTerm(language, word);
      if (stem && counted.has(stem)) add(stem, word.written, weight);
    }
  return terms;
}

function findTerm(
  terms: ReadonlyMap<string, FoundTerm>,
  type: Alternative["type"],
  required: readonly string[],
): FoundTerm | null {
  if (type === "prefix") return findPrefix(terms, required[0] as string);
  if (type !== "stem") return findAll(terms, required);
  // A text has the terms of one language only.
  const stem = required.find((term) => terms.has(term));
  return stem === undefined ? null : (terms.get(stem) as FoundTerm);
}

/** The least frequent of several terms, or null if one is missing. */
function findAll(terms: ReadonlyMap<string, FoundTerm>, required: readonly string[]): FoundTerm | null {
  let least: FoundTerm | null = null;
  for (const term of required) {
    const found = terms.get(term);
    if (!found) return null;
    if (!least || found.count < least.count) least = found;
  }
  return least;
}

/** The most frequent term that starts with a prefix. */
function findPrefix(terms: ReadonlyMap<string, FoundTerm>, prefix: string): FoundTerm | null {
  let most: FoundTerm | null = null;
  for (const [term, found] of terms)
    if (term.startsWith(prefix) && (!most || found.count > most.count)) most = found;
  return most;
}

const typeNotes: Record<Alternative["type"], string> = {
  word: "",
  stem: "",
  parts: "",
  joined: "",
  prefix: "",
  typo: " (typo)",
};

const reason = (queried: string, found: string, type: Alternative["type"]): string =>
  queried.toLowerCase() === found.toLowerCase() ? found : `${queried} → ${found}${typeNotes[type]}`;
