/**
 * Text as the terms it is found by. Both databases index what this makes of a text, so both find the same.
 */
import { stem } from "./stemmer.ts";

/** A word as it was written, and what it is found by. */
export interface Word {
  written: string;
  /** The word as a whole: `ratelimit` of `rateLimit`, `rate_limit` and `rate-limit`. */
  term: string;
  /** What it is put together from: `rate` and `limit`. Empty for a plain word. */
  parts: readonly string[];
  /** The same in lower case, before they became stems: what somebody who mistypes one had in mind. */
  forms: readonly string[];
}

/** Longer ones are cut, in texts and in queries alike. */
export const termLengthMax = 64;

/** Words that every text is full of. */
const common = new Set(
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
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what it looks for
const ascii = /^[\x00-\x7f]*$/;

/** The words of a text, in order, without those that every text is full of. */
export function wordsOf(text: string): Word[] {
  const found: Word[] = [];
  for (const written of text.match(ascii.test(text) ? asciiWords : words) ?? []) {
    const word = known(written);
    if (word.term !== "") found.push(word);
  }
  return found;
}

/** The terms of a text, in order, in the form that both indexes take. */
export const termsOf = (text: string): string[] =>
  wordsOf(text).flatMap(({ term, parts }) => [term, ...parts]);

const memory = new Map<string, Word>();
const memoryMax = 20_000;

/** Texts repeat their words, so most are looked up. */
function known(written: string): Word {
  const before = memory.get(written);
  if (before) return before;
  const word = analyse(written);
  if (memory.size >= memoryMax) memory.clear();
  if (written.length <= termLengthMax) memory.set(written, word);
  return word;
}

function analyse(written: string): Word {
  const pieces = written.replace(/['’]s?(?=$|[-_.])/g, "").split(/_+|[-.]/);
  const plain = pieces.map((piece) => piece.replace(/['’]/g, ""));
  const whole = cut(plain.map(folded).join(""));
  const parts = plain
    .flatMap(partsOf)
    .filter((part) => part.length > 1 && part !== whole && !common.has(part));
  if (parts.length === 0 && common.has(whole)) return { written, term: "", parts, forms: [] };
  const term = termOf(whole);
  return {
    written,
    term,
    parts: [...new Set(parts.map(termOf))].filter((part) => part !== term),
    forms: [whole, ...parts],
  };
}

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const inner =
  /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+|\p{L}/gu;

/** `HTTPServer` → http, server; `sha256` → sha, 256; text without spaces by pairs of characters. */
function partsOf(piece: string): string[] {
  if (piece.length > termLengthMax * 4) return [];
  if (unspaced.test(piece)) {
    const characters = [...folded(piece)];
    return characters.slice(1).map((character, index) => characters[index] + character);
  }
  return (piece.match(inner) ?? []).map((part) => cut(folded(part)));
}

/** Long words by their beginning, and no half of a character at its end. */
const cut = (text: string): string => text.slice(0, termLengthMax).replace(/[\ud800-\udbff]$/, "");

/** Lower case, without the accents of Latin, Greek and Cyrillic letters. */
const folded = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKD")
        .replace(/[\u0300-\u036f]/g, "")
        .normalize("NFC")
        .toLowerCase();

/** The term of a form. British and American spellings are one. */
export const termOf = (form: string): string => (/^[a-z]{3,}$/.test(form) ? stem(american(form)) : form);

const american = (word: string): string =>
  word
    .replace(/(?<=^.{2,})our(?=$|s$|ed$|ing$|ful|al)/, "or")
    .replace(/(?<=^.{3,}[iy])s(?=(e|es|ed|er|ing|ation|ations)$)/, "z");
