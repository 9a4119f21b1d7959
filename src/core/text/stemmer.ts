/**
 * The Porter stemmer for English (M. F. Porter, "An algorithm for suffix stripping", 1980; the letter y as in
 * Porter2, 2001): caches, cached and caching have one stem.
 */

/**
 * Stems an English word.
 * @param word lowercase letters a to z only
 */
export function stem(word: string): string {
  if (word.length < 3) return word;
  return [plural, pastOrPresent, finalY, doubleSuffix, adjective, residue, finalE].reduce(
    (form, step) => step(form),
    word,
  );
}

/** Consonants and vowels of a word, `c` or `v` for each letter; y is a vowel after a consonant. */
function shapeOf(word: string): string {
  let shape = "";
  for (const letter of word)
    shape += "aeiou".includes(letter) || (letter === "y" && shape.endsWith("c")) ? "v" : "c";
  return shape;
}

/** Porter's measure: how many times vowels are followed by consonants, roughly the syllables. */
const measure = (part: string): number => shapeOf(part).match(/v+c+/g)?.length ?? 0;
const hasVowel = (part: string): boolean => shapeOf(part).includes("v");
const endsDouble = (part: string): boolean => /([^aeiou])\1$/.test(part);
/** Whether a word ends in consonant, vowel, consonant other than w, x, y: its stem had a final e. */
const endsShort = (part: string): boolean => shapeOf(part).endsWith("cvc") && !/[wxy]$/.test(part);

type Ending = readonly [suffix: string, replacement: string];

/** Replaces the longest matching suffix, if the measure of the part before it is above `minMeasure`. */
function replaceEnding(word: string, endings: readonly Ending[], minMeasure: number): string {
  const found = endings.find(([suffix]) => word.endsWith(suffix));
  if (!found) return word;
  const part = word.slice(0, word.length - found[0].length);
  return measure(part) > minMeasure ? part + found[1] : word;
}

const longestFirst = (text: string): Ending[] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split(":") as [string, string])
    .sort(([a], [b]) => b.length - a.length);

function plural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function pastOrPresent(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const part = /^(.+)(?:ed|ing)$/.exec(word)?.[1];
  if (!part || !hasVowel(part)) return word;
  if (/(at|bl|iz)$/.test(part)) return `${part}e`;
  if (endsDouble(part) && !/[lsz]$/.test(part)) return part.slice(0, -1);
  return measure(part) === 1 && endsShort(part) ? `${part}e` : part;
}

const finalY = (word: string): string => (/.[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : word);

const doubles =
  longestFirst(`ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize
  ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log`);
const doubleSuffix = (word: string): string => replaceEnding(word, doubles, 0);

const adjectives = longestFirst("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:");
const adjective = (word: string): string => replaceEnding(word, adjectives, 0);

const residues = longestFirst(
  "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:",
);
const residue = (word: string): string => (/[^st]ion$/.test(word) ? word : replaceEnding(word, residues, 1));

function finalE(word: string): string {
  if (word.endsWith("ll") && measure(word) > 1) return word.slice(0, -1);
  if (!word.endsWith("e")) return word;
  const part = word.slice(0, -1);
  return measure(part) > 1 || (measure(part) === 1 && !endsShort(part)) ? part : word;
}
