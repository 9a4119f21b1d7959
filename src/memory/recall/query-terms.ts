/** Parses a query into terms, each with the alternatives it may be found by. */

import type { Projects } from "../../core/rows.ts";
import { termsInLanguages } from "../../core/text/language-terms.ts";
import { isStopWordOf, LanguageEvidence } from "../../core/text/languages.ts";
import { termLengthMax, termOf, type Word, wordsOf } from "../../core/text/tokenizer.ts";
import {
  canHaveTypo,
  editDistance,
  editsMax,
  isLikelyTypo,
  isSureTypo,
  trigramsOf,
} from "../../core/text/typo-candidates.ts";
import type { MemoryData } from "../port.ts";
import type { Match } from "../rows.ts";
import { type MemoryKind, memoryKinds } from "../schema.ts";
import { withoutBallast } from "./long-query.ts";

/** How a word of a query matches words of a text. */
export type MatchType = "word" | "stem" | "parts" | "prefix" | "joined" | "typo";

export interface Alternative {
  type: MatchType;
  /** All of them must occur, or for a stem one of them. */
  terms: readonly string[];
  /** What a match scores, compared with 1 for the word itself. */
  weight: number;
}

type Counts = Record<MemoryKind, number>;

export interface QueryTerm {
  written: string;
  alternatives: Alternative[];
  /** Inverse document frequency: a rare word weighs more than a frequent one. */
  weight: number;
  /** The sentences of a long query that have it. */
  sentences?: readonly number[];
  /** How many texts of each kind have it; `countMax` means that many or more. */
  counts: Counts;
}

/** Characters of a query that are read; the rest is ignored. */
const queryLengthMax = 8_192;
const wordsMax = 256;
/** Neighboring words are also tried as one word in queries of up to this many words. */
const joinedMax = 12;
/** A query with more terms is long: most of it is no part of the question. */
const shortMax = 12;
/** Texts are counted up to this many; words that more texts have weigh the same. */
export const countMax = 1_000;
/** Words of a query that are corrected, candidates for each, and similar words that are compared. */
const typoWordsMax = 8;
/** In a query of more words nothing is corrected: the others say enough. */
const typoQueryMax = 24;
const candidatesPerWordMax = 3;
const similarWordsMax = 200;
const editPenalty = 0.1;

const typeWeights: Record<MatchType, number> = {
  word: 1,
  stem: 0.9,
  parts: 0.9,
  joined: 0.9,
  prefix: 0.7,
  typo: 0.7,
};

/**
 * Parses a query into the terms that some text has; other words are corrected or ignored. Never fails: a
 * query without words has no terms.
 */
export async function parseQuery(data: Vocabulary, projects: Projects, query: string): Promise<QueryTerm[]> {
  const { words, isEnglish } = wordsOfQuery(query.slice(0, queryLengthMax).toWellFormed());
  const languages = isEnglish ? [] : await data.textLanguages();
  const candidates = words.map((word, index) => ({
    word,
    alternatives: [...alternativesOf(words, index), ...stemsOf(word, languages)],
  }));
  const corpus: Corpus = { data, projects };
  const counts = await countTexts(
    corpus,
    candidates.flatMap(({ alternatives }) => alternatives),
  );
  const isFound = (alternative: Alternative) => totalCount(counts.get(alternative)) > 0;
  // If no word is known, nothing else says what the query is about, so only almost certain typos are
  // corrected.
  const isTypo = candidates.some(({ alternatives }) => alternatives.some(isFound))
    ? isLikelyTypo
    : isSureTypo;
  let correctionsLeft = typoWordsMax;
  const apart = await partsAlone(corpus, candidates, counts);
  const queryTerms: QueryTerm[] = [];
  for (const { word, alternatives } of candidates) {
    const parts = apart.get(word);
    if (parts) {
      queryTerms.push(...parts.map((part) => queryTermOf(...part, counts)));
      continue;
    }
    let found = alternatives.filter(isFound);
    if (found.length === 0 && words.length <= typoQueryMax && correctionsLeft-- > 0)
      found = await findTypoCandidates(corpus, word.forms[0] ?? "", isTypo, counts);
    // The first is the plain word, if it was found.
    if (found.length > 0) queryTerms.push(queryTermOf(word.written, found, 1, counts));
  }
  return queryTerms.length <= shortMax
    ? queryTerms
    : withoutBallast(queryTerms, ({ counts }) => totalCount(counts), query);
}

/** @param share what the term counts of a whole word */
function queryTermOf(
  written: string,
  found: Alternative[],
  share: number,
  counts: ReadonlyMap<Alternative, Counts>,
): QueryTerm {
  const weight = share * Math.log(1 + countMax / totalCount(counts.get(found[0] as Alternative)));
  const highest = (kind: MemoryKind) =>
    Math.max(...found.map((alternative) => counts.get(alternative)?.[kind] ?? 0));
  const byKind = Object.fromEntries(memoryKinds.map((kind) => [kind, highest(kind)])) as Counts;
  return { written, alternatives: found, weight, counts: byKind };
}

/** Hiragana alone is grammar: particles and endings. */
const isGrammar = /^\p{Script=Hiragana}+$/u;
/** What a part counts of a word whose parts occur together nowhere. */
const partShare = 0.5;
/** Parts that are looked for, of all words together. */
const partsMax = 96;

/**
 * The parts of each word that no text has as a whole, nor all its parts: a phrase in a script without
 * spaces, or a compound. A text may have some of them.
 */
async function partsAlone(
  corpus: Corpus,
  candidates: readonly { word: Word; alternatives: Alternative[] }[],
  counts: Map<Alternative, Counts>,
): Promise<Map<Word, [string, Alternative[], number][]>> {
  const unknown = candidates.filter(
    ({ word, alternatives }) =>
      word.parts.length > 1 && !alternatives.some((alternative) => totalCount(counts.get(alternative)) > 0),
  );
  const parts = unknown
    .flatMap(({ word }) => word.parts.filter((part) => !isGrammar.test(part)).map((part) => ({ word, part })))
    .slice(0, partsMax)
    .map(
      ({ word, part }) =>
        ({ word, part: { type: "word", terms: [part], weight: typeWeights.parts } }) as const,
    );
  const found = await countTexts(
    corpus,
    parts.map(({ part }) => part),
  );
  for (const [part, byKind] of found) counts.set(part, byKind);
  const known = parts.filter(({ part }) => totalCount(found.get(part)) > 0);
  return new Map(
    [...Map.groupBy(known, ({ word }) => word)].map(([word, list]) => [
      word,
      list.map(({ part }) => [part.terms[0] as string, [part], partShare]),
    ]),
  );
}

/** The number of texts of any kind; `countMax` means that many or more. */
const totalCount = (counts: Counts | undefined): number =>
  Math.min(
    Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0),
    countMax,
  );

export type Vocabulary = Pick<MemoryData, "countMatches" | "textLanguages" | "findSimilarWords">;

/** The texts that words are looked up in: exactly those that a caller may see. */
interface Corpus {
  data: Vocabulary;
  projects: Projects;
}

/** The distinct words of a query, without the stop words of its language. */
function wordsOfQuery(query: string): { words: Word[]; isEnglish: boolean } {
  const evidence = new LanguageEvidence();
  const all = [...new Map(wordsOf(query, evidence).map((word) => [word.term, word])).values()];
  const language = evidence.guess();
  const distinctive = language ? all.filter((word) => !isStopWordOf(word, language)) : all;
  const words = (distinctive.length > 0 ? distinctive : all).slice(0, wordsMax);
  return { words, isEnglish: evidence.isEnglish() };
}

/**
 * The stems of a word in each language that texts are written in. A query is too short to tell its language,
 * and the terms name theirs, so a stem finds only texts of its own language.
 */
function stemsOf(word: Word, languages: readonly string[]): Alternative[] {
  const terms = termsInLanguages(word, languages);
  return terms.length > 0 ? [{ type: "stem", terms, weight: typeWeights.stem }] : [];
}

const isSingleUnspaced = /^[\p{scx=Han}\p{scx=Kana}\p{scx=Hang}]$/u;
const isPrefix = /^(?:[\p{L}\p{N}]{2,64}|[\p{scx=Han}\p{scx=Kana}\p{scx=Hang}])$/u;

function alternativesOf(words: Word[], index: number): Alternative[] {
  const { term, parts, spellings, written } = words[index] as Word;
  const list: Alternative[] = [term, ...spellings].map((one) => ({
    type: "word",
    terms: [one],
    weight: typeWeights.word,
  }));
  if (parts.length > 1) list.push({ type: "parts", terms: parts, weight: typeWeights.parts });
  // Either of two neighbors is found where they are one word.
  for (const first of words.length <= joinedMax ? [index - 1, index] : []) {
    const joined =
      words[first + 1] && words[first] && words[first].written.toLowerCase() + words[first + 1]?.term;
    if (joined && joined.length <= termLengthMax)
      list.push({ type: "joined", terms: [joined], weight: typeWeights.joined });
  }
  const prefix = written.toLowerCase();
  if (index === words.length - 1 ? isPrefix.test(prefix) : isSingleUnspaced.test(prefix))
    list.push({ type: "prefix", terms: [prefix], weight: typeWeights.prefix });
  return list.filter(({ terms }) => terms.every((text) => /^[\p{L}\p{N}\p{M}\p{Co}]+$/u.test(text)));
}

/** The match that finds an alternative. */
export function matchOf({ type, terms }: Alternative): Match {
  if (type === "prefix") return { term: terms[0] as string, prefix: true };
  const each = terms.map((term) => ({ term }));
  return type === "stem" ? { any: each } : { all: each };
}

/** Counts the texts of each alternative in one read. */
async function countTexts(
  { data, projects }: Corpus,
  alternatives: Alternative[],
): Promise<Map<Alternative, Counts>> {
  const counts =
    alternatives.length > 0 ? await data.countMatches(projects, alternatives.map(matchOf), countMax) : [];
  return new Map(alternatives.map((alternative, index) => [alternative, counts[index] as Counts]));
}

/** Finds words that a mistyped one may have meant: the fewest edits first, then the most frequent. */
async function findTypoCandidates(
  corpus: Corpus,
  form: string,
  isTypo: typeof isLikelyTypo,
  counts: Map<Alternative, Counts>,
): Promise<Alternative[]> {
  if (!canHaveTypo(form)) return [];
  const editsByTerm = new Map<string, number>();
  for (const other of await corpus.data.findSimilarWords(
    corpus.projects,
    trigramsOf(form),
    similarWordsMax,
  )) {
    const edits = editDistance(form, other, editsMax);
    const term = termOf(other);
    if (isTypo(form, other, edits) && edits < (editsByTerm.get(term) ?? Number.POSITIVE_INFINITY))
      editsByTerm.set(term, edits);
  }
  const candidates = [...editsByTerm].map(([term, edits]) => ({
    type: "typo" as const,
    terms: [term],
    weight: typeWeights.typo - editPenalty * edits,
  }));
  const found = await countTexts(corpus, candidates);
  for (const [candidate, byKind] of found) counts.set(candidate, byKind);
  const frequency = (candidate: Alternative) => totalCount(found.get(candidate));
  return candidates
    .filter(frequency)
    .sort((a, b) => b.weight - a.weight || frequency(b) - frequency(a))
    .slice(0, candidatesPerWordMax);
}
