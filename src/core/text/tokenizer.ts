/**
 * The tokenizer of recall: splits text into words and their terms. Both databases index these terms, so both
 * find the same texts.
 */

import { boundedByCount, Cache } from "../lib/cache.ts";
import { lazy } from "../lib/lazy.ts";
import { copyText } from "../lib/strings/copy-text.ts";
import { normalizeUnicode } from "../lib/strings/nfc.ts";
import { truncate } from "../lib/strings/truncate.ts";
import { type LanguageBits, type LanguageEvidence, languageBits } from "./languages.ts";
import { stem } from "./stemmer.ts";

/**
 * The version of the terms that a text has. Raise it with every change to them: the server then rebuilds the
 * index of recall in the background (src/memory/recall/rebuild-outdated.ts).
 */
export const analyzerVersion = 6;

/** A word of a text with the terms it is indexed by. */
export interface Word extends LanguageBits {
  written: string;
  /** The term of the whole word: `ratelimit` for `rateLimit`, `rate_limit` and `rate-limit`. */
  term: string;
  /** The terms of the parts of a compound: `rate` and `limit`. Empty for a plain word. */
  parts: readonly string[];
  /** Terms of other spellings: `groesse` for `Größe`, `10000` for `10.000`, `2` for `v2`. */
  spellings: readonly string[];
  /** Terms of what it belongs to, which only texts have: `2.10` for `2.10.2`. */
  broader: readonly string[];
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
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches all of ASCII
const ascii = /^[\x00-\x7f]*$/;

/** Scripts that do not separate words by spaces, so words of other scripts may touch theirs. */
const unspacedScripts =
  "[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}]";
/** Bun takes milliseconds to compile such a set, so nothing that every process needs has one. */
const unspaced = `[[\\p{L}\\p{N}\\p{M}]&&${unspacedScripts}]`;
const letter = `[[\\p{L}\\p{N}\\p{M}]--${unspacedScripts}]`;
/** With skin tones, variation selectors, and what else joins several into one. */
const emoji = "\\p{RI}{2}|\\p{ExtPict}(?:\\ufe0f|\\p{EMod})*(?:\\u200d\\p{ExtPict}(?:\\ufe0f|\\p{EMod})*)*";
const wordsSource = `${unspaced}+|${letter}+(?:(?:_+|[\\-.'’])${letter}+)*|${emoji}`;
const words = lazy(() => new RegExp(wordsSource, "gv"));

/** A number whose digits are grouped, or with a decimal comma. */
const grouped = [
  "\\d{1,3}(?:,\\d{2,3})*,\\d{3}(?:\\.\\d+)?", // 12,500.75 and 1,23,456
  "\\d{1,3}(?: \\d{3})+(?:[.,]\\d+)?", // 12 500,75
  "\\d{1,3}(?:\\.\\d{3})+,\\d+", // 12.500,75
  "\\d+,\\d{1,2}", // 2,7
].join("|");
const alone = [`(?<!${letter}|\\p{N}[.,])`, "(?![.,]?\\p{N}|\\p{Script=Latin})"];
const hasGrouped = /\d[, ]\d/;
const numbersAndWords = lazy(() => new RegExp(`${alone[0]}(?:${grouped})${alone[1]}|${wordsSource}`, "gv"));

/** Marks that are no part of a word: soft hyphens, spaces and joiners of no width, and signs of a trademark. */
const invisible = /[\u00ad\u200b\u2060\ufeff™℠]/g;

/** The text in one of the forms that look alike: full-width letters and ligatures become plain ones. */
const plainForm = (text: string): string => normalizeUnicode(text.replace(invisible, ""), "NFKC");

/** The words of a text as it writes them, in order. */
export function writtenWords(text: string): string[] {
  const isAscii = ascii.test(text);
  const plain = isAscii ? text : plainForm(text);
  return plain.match(hasGrouped.test(plain) ? numbersAndWords() : isAscii ? asciiWords : words()) ?? [];
}

/**
 * Splits a text into its words, in order, without English stop words.
 * @param evidence counts the words that are typical of a language
 */
export function wordsOf(text: string, evidence?: LanguageEvidence): Word[] {
  const found: Word[] = [];
  for (const written of writtenWords(text)) {
    const word = lookUpWord(written);
    if (word.typicalOf !== 0) evidence?.add(word.typicalOf);
    if (word.term !== "") found.push(word);
  }
  return found;
}

/** All terms that a word is indexed by. */
export const indexedTerms = ({ term, parts, spellings, broader }: Word): string[] =>
  parts.length + spellings.length + broader.length > 0 ? [term, ...parts, ...spellings, ...broader] : [term];

/** The terms of a text, in order: each word's own and those of its parts. */
export const termsOf = (text: string): string[] => wordsOf(text).flatMap(indexedTerms);

const analyzedWords = new Cache<string, Word>({ max: 20_000, bytesOf: boundedByCount });

/** What is known of a word. Texts repeat their words, so most are cached. */
export const lookUpWord = (written: string): Word =>
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

/** Between the numbers of a version or an address, so that 2.10.2 is not 21.02. Queries cannot contain it. */
const dot = "\ue004";
/** Begins the term of an emoji, whose code points follow. */
const emojiMark = "\ue003";

/** Most words: nothing to split, and no other way to write them. */
const simpleWord = /^[A-Za-z]?[a-z]{2,60}$/;

function analyzeWord(written: string): Word {
  if (simpleWord.test(written)) return analyzeSimple(written, written.toLowerCase());
  if (/\p{ExtPict}|\p{RI}/v.test(written)) return emojiWord(written);
  if (/[, ]/.test(written)) return numberWord(written);
  const bare = written.replace(elided, "");
  const pieces = written.replace(/['’]s?(?=$|[-_.])/g, "").split(/_+|-|\.(?!\d)|(?<!\d)\./);
  const joined = pieces.map((piece) => piece.replace(/['’]/g, "").replace(/^[vV](?=\d+\.)/, ""));
  const whole = truncate(joined.map(formOf).join(""), termLengthMax);
  const compound = joined
    .flatMap(partsOf)
    .filter((part) => part.length > 1 && part !== whole && !stopWords.has(part));
  const single = normalizeUnicode(bare === written ? joined.join("") : bare).toLowerCase();
  const plain = compound.length === 0 && plainWord.test(single) ? single : "";
  const bits = languageBits(plain, stopWords.has(whole));
  const parts = bare === written || plain === "" ? compound : [formOf(plain)];
  if (parts.length === 0 && stopWords.has(whole)) return { ...emptyWord, written, plain, ...bits };
  const term = termOf(whole);
  const different = (terms: string[]) => [...new Set(terms)].filter((one) => one !== term && one !== "");
  return {
    written,
    term,
    parts: different(parts.map(termOf)),
    spellings: different(spellingsOf(joined.join(""), whole).map(termOf)),
    broader: different([...parts, whole].flatMap(broaderOf)),
    forms: [whole, ...parts],
    plain,
    ...bits,
  };
}

function analyzeSimple(written: string, plain: string): Word {
  const isStop = stopWords.has(plain);
  const known = isStop ? emptyWord : { ...emptyWord, term: termOf(plain), forms: [plain] };
  return { ...known, written, plain, ...languageBits(plain, isStop) };
}

const emptyWord = { term: "", parts: [], spellings: [], broader: [], forms: [], plain: "" };
const noLanguage: LanguageBits = { typicalOf: 0, stopWordOf: 0 };

/** An emoji without skin tone, gender, and variation; joined ones are also found by each of them. */
function emojiWord(written: string): Word {
  const bare = written.replace(/[\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d[♀♂]\ufe0f?/gu, "");
  const termOfEmoji = (text: string) =>
    emojiMark + [...text].map((character) => character.codePointAt(0)?.toString(16)).join("");
  const joined = bare.split("\u200d");
  const parts = joined.length > 1 ? joined.map(termOfEmoji) : [];
  return { ...emptyWord, written, term: termOfEmoji(bare.replaceAll("\u200d", "")), parts, ...noLanguage };
}

/** A number without the separators of its groups. */
function numberWord(written: string): Word {
  const [, integer, fraction = ""] =
    /^(\d{1,3}(?:,\d{2,3})*,\d{3}|\d{1,3}(?:[ .]\d{3})+|\d+)(?:[.,](\d+))?$/.exec(written) ?? [];
  const whole = (integer ?? written).replace(/\D/g, "") + (fraction && dot + fraction);
  const parts = written.split(/[., ]/);
  return { ...emptyWord, written, term: whole, parts: parts.filter((part) => part !== whole), ...noLanguage };
}

/** The form of a piece: in lower case, without accents. */
const formOf = (piece: string): string => withoutAccents(piece).replaceAll(".", dot);

/** Letters that some write as two. */
const digraphs: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };

/** Other spellings of a word: with two letters for one, a number without separators, a version without `v`. */
function spellingsOf(written: string, whole: string): string[] {
  if (/^v\d+$/.test(whole)) return [whole.slice(1)];
  if (/^\d{1,3}(?:\.\d{3})+$/.test(written)) return [written.replaceAll(".", "")];
  if (ascii.test(written)) return [];
  const lower = normalizeUnicode(written).toLowerCase();
  const spelled = lower.replace(/[äöüøå]/g, (one) => digraphs[one] as string);
  return spelled === lower ? [] : [truncate(formOf(spelled), termLengthMax)];
}

/** `2.10` of `2.10.2`, and `10.0` and `10.0.0` of `10.0.0.1`. */
function broaderOf(form: string): string[] {
  const numbers = form.split(dot);
  return numbers.slice(2).map((_, index) => numbers.slice(0, index + 2).join(dot));
}

const isUnspaced = lazy(() => new RegExp(unspacedScripts, "v"));
const partPattern =
  /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+(?:\.\p{N}+)*|\p{L}/gu;

/** `HTTPServer` → http, server; `sha256` → sha, 256; text in an unspaced script → bigrams. */
function partsOf(piece: string): string[] {
  if (isUnspaced().test(piece)) {
    const characters = [...withoutAccents(piece)];
    return characters.slice(1).map((character, index) => characters[index] + character);
  }
  if (piece.length > termLengthMax * 4) return [];
  return (piece.match(partPattern) ?? []).map((part) => truncate(formOf(part), termLengthMax));
}

/** Letters that are written as others where a keyboard lacks them. */
const otherLetters: Record<string, string> = {
  ß: "ss",
  ø: "o",
  ł: "l",
  œ: "oe",
  æ: "ae",
  ı: "i",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŋ: "n",
  ŧ: "t",
  ə: "e",
  ς: "σ",
};
const hasOtherLetter = new RegExp(`[${Object.keys(otherLetters).join("")}]`, "g");
/** Accents of Latin, Greek, and Cyrillic letters, and the vowel signs of Hebrew and Arabic. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]/g;

/** The text in lower case, without accents, and with plain letters for `ß`, `ø`, `ł` and the like. */
export const withoutAccents = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : normalizeUnicode(normalizeUnicode(text, "NFKD").replace(accents, ""))
        .toLowerCase()
        .replace(hasOtherLetter, (one) => otherLetters[one] as string);

/** Adverbs of time have the term of their noun: a weekly report is one of a week. */
const timeWords = new Map(
  Object.entries({
    hourly: "hour",
    daily: "day",
    nightly: "night",
    weekly: "week",
    monthly: "month",
    quarterly: "quarter",
    yearly: "year",
  }),
);

/** The term of a word form: its stem. British and American spellings share one. */
export const termOf = (form: string): string =>
  /^[a-z]{3,}$/.test(form) ? stem(timeWords.get(form) ?? american(form)) : form;

const american = (word: string): string =>
  word
    .replace(/(?<=^.{2,})our(?=$|s$|ed$|ing$|ful|al)/, "or")
    .replace(/(?<=^.{3,}[iy])s(?=(e|es|ed|er|ing|ation|ations)$)/, "z");
