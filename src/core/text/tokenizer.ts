/**
 * The tokenizer of recall: splits text into words and their terms. Both databases index these terms, so both
 * find the same texts.
 */

import { boundedByCount, Cache } from "../lib/cache.ts";
import { copyText } from "../lib/strings/copy-text.ts";
import { normalizeUnicode } from "../lib/strings/nfc.ts";
import { truncate } from "../lib/strings/truncate.ts";
import { type LanguageBits, type LanguageEvidence, languageBits } from "./languages.ts";
import { stem } from "./stemmer.ts";

/**
 * The version of the terms that a text has. Raise it with every change to them: the server then rebuilds the
 * index of recall in the background (src/memory/recall/rebuild-outdated.ts).
 */
export const analyzerVersion = 3;

/** A word of a text with the terms it is indexed by. */
export interface Word extends LanguageBits {
  written: string;
  /** The term of the whole word: `ratelimit` for `rateLimit`, `rate_limit` and `rate-limit`. */
  term: string;
  /** The terms of the parts of a compound: `rate` and `limit`. Empty for a plain word. */
  parts: readonly string[];
  /** The whole word and its parts in lower case, not stemmed: typos are compared with these. */
  forms: readonly string[];
  /**
   * A plain word in lower case with its accents, as stemmers read it; empty for identifiers and compounds.
   */
  plain: string;
}

/** Longer terms are truncated to this many characters, in texts and in queries alike. */
export const termLengthMax = 64;

/** English words too frequent to distinguish texts. */
const stopWords = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can could did do
  does doing down during each either etc few for from further had has have having he her here hers him his how i if in into is it its
  itself just let me might more most must my no nor not of off on once only or other our ours out over own please same shall she should
  so some such than that the their theirs them then there these they this those through to too under until up upon us very was we were
  what when where whether which while who whom why will with would you your yours dont doesnt isnt cant wont`.split(
    /\s+/,
  ),
);

const asciiWords = /[A-Za-z0-9]+(?:(?:_+|[-.'])[A-Za-z0-9]+)*/g;
const words = /[\p{L}\p{N}\p{M}]+(?:(?:_+|[-.'’])[\p{L}\p{N}\p{M}]+)*/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches all of ASCII
const ascii = /^[\x00-\x7f]*$/;

/**
 * Splits a text into its words, in order, without English stop words.
 * @param evidence counts the words that are typical of a language
 */
export function wordsOf(text: string, evidence?: LanguageEvidence): Word[] {
  const found: Word[] = [];
  for (const written of text.match(ascii.test(text) ? asciiWords : words) ?? []) {
    const word = lookUpWord(written);
    if (word.typicalOf !== 0) evidence?.add(word.typicalOf);
    if (word.term !== "") found.push(word);
  }
  return found;
}

/** The terms of a text, in order: each word's own and those of its parts. */
export const termsOf = (text: string): string[] =>
  wordsOf(text).flatMap(({ term, parts }) => [term, ...parts]);

/** Texts repeat their words, so most are cached. */
const analyzedWords = new Cache<string, Word>({ max: 20_000, bytesOf: boundedByCount });

const lookUpWord = (written: string): Word =>
  written.length <= termLengthMax ? (analyzedWords.get(written) ?? cacheWord(written)) : analyzeWord(written);

function cacheWord(written: string): Word {
  const word = analyzeWord(copyText(written));
  analyzedWords.set(written, word);
  return word;
}

/** The elided articles and pronouns of French and Italian: `l'utente`, `dell'utente`, `qu'elle`. */
const elided =
  /^(?:[cdjlmnst]|(?:lors|puis|jus)?qu|(?:d|n|s)?all|dell|nell|sull|un|quest|quell)['’](?=\p{L}{3})/iu;
const plainWord = /^[\p{Script=Latin}\p{Script=Cyrillic}]{2,64}$/u;

function analyzeWord(written: string): Word {
  const bare = written.replace(elided, "");
  const pieces = written.replace(/['’]s?(?=$|[-_.])/g, "").split(/_+|[-.]/);
  const joined = pieces.map((piece) => piece.replace(/['’]/g, ""));
  const whole = truncate(joined.map(withoutAccents).join(""), termLengthMax);
  const compound = joined
    .flatMap(partsOf)
    .filter((part) => part.length > 1 && part !== whole && !stopWords.has(part));
  const single = normalizeUnicode(bare === written ? joined.join("") : bare).toLowerCase();
  const plain = compound.length === 0 && plainWord.test(single) ? single : "";
  const bits = languageBits(plain, stopWords.has(whole));
  const parts = bare === written || plain === "" ? compound : [withoutAccents(plain)];
  if (parts.length === 0 && stopWords.has(whole))
    return { written, term: "", parts, forms: [], plain, ...bits };
  const term = termOf(whole);
  return {
    written,
    term,
    parts: [...new Set(parts.map(termOf))].filter((part) => part !== term),
    forms: [whole, ...parts],
    plain,
    ...bits,
  };
}

/** Scripts that do not separate words by spaces. */
const unspacedScripts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const partPattern =
  /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+|\p{L}/gu;

/** `HTTPServer` → http, server; `sha256` → sha, 256; text in an unspaced script → bigrams. */
function partsOf(piece: string): string[] {
  if (piece.length > termLengthMax * 4) return [];
  if (unspacedScripts.test(piece)) {
    const characters = [...withoutAccents(piece)];
    return characters.slice(1).map((character, index) => characters[index] + character);
  }
  return (piece.match(partPattern) ?? []).map((part) => truncate(withoutAccents(part), termLengthMax));
}

/** The text in lower case, without accents on Latin, Greek and Cyrillic letters. */
export const withoutAccents = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : normalizeUnicode(normalizeUnicode(text, "NFKD").replace(/[\u0300-\u036f]/g, "")).toLowerCase();

/** The term of a word form: its stem. British and American spellings share one. */
export const termOf = (form: string): string => (/^[a-z]{3,}$/.test(form) ? stem(american(form)) : form);

const american = (word: string): string =>
  word
    .replace(/(?<=^.{2,})our(?=$|s$|ed$|ing$|ful|al)/, "or")
    .replace(/(?<=^.{3,}[iy])s(?=(e|es|ed|er|ing|ation|ations)$)/, "z");
