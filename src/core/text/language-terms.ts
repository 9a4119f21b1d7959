/**
 * Language terms: the stems of a text in its own language, which recall indexes beside the terms that every
 * text has. Each names its language, so that the words of one language do not match those of another.
 */
import { Cache } from "../lib/cache.ts";
import { isStopWordOf, type Language, LanguageEvidence, languages } from "./languages.ts";
import { type Word, withoutAccents, wordsOf } from "./tokenizer.ts";

/** The analyzed parts of a text. */
export interface AnalyzedText {
  /** The words of each part. */
  parts: Word[][];
  /** The language of the whole text, unless it is English or unclear. */
  language: Language | null;
}

/** Analyzes a text that is given in parts, such as its heading and its body. */
export function analyzeText(...texts: string[]): AnalyzedText {
  const evidence = new LanguageEvidence();
  return { parts: texts.map((text) => wordsOf(text, evidence)), language: evidence.guess() };
}

/** A private-use character, which the tokenizer never emits, so no query can contain it. */
const mark = "\ue002";

const isCyrillic = /\p{Script=Cyrillic}/u;
const stemsMax = 20_000;
const stems = new Map(languages.map((language) => [language, new Cache<string, string>({ max: stemsMax })]));

/**
 * The term of a word in a language: the stem, without accents. Empty for stop words of the language,
 * identifiers, compounds, and words of another script.
 */
export function languageTerm(language: Language, word: Word): string {
  const { plain } = word;
  if (plain === "") return "";
  const cache = stems.get(language) as Cache<string, string>;
  return cache.getOrMake(plain, () =>
    hasTerm(language, word) ? mark + language.code + withoutAccents(language.stem(plain)) : "",
  );
}

const hasTerm = (language: Language, word: Word): boolean =>
  word.plain.length > 2 &&
  !isStopWordOf(word, language) &&
  isCyrillic.test(word.plain) === (language.code === "ru");

/** The distinct language terms of a text, in order. */
export function languageTermsOf({ parts, language }: AnalyzedText): string[] {
  if (language === null) return [];
  const terms = new Set(parts.flat().map((word) => languageTerm(language, word)));
  terms.delete("");
  return [...terms];
}

/** The terms of a word in several languages: what texts of an unknown language may have it by. */
export const termsInLanguages = (word: Word, codes: readonly string[]): string[] =>
  languages
    .filter(({ code }) => codes.includes(code))
    .map((language) => languageTerm(language, word))
    .filter((term) => term !== "");
