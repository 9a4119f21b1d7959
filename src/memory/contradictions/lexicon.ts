/**
 * The words that the rules for contradictions know: what negates, what says the same, what excludes one
 * another. Words are given in any form and compared by their stem; one word of a phrase stands for it.
 */
import { Cache } from "../../core/lib/cache.ts";
import { lazy } from "../../core/lib/lazy.ts";
import { termOf } from "../../core/text/tokenizer.ts";
import lexicon from "./lexicon.txt" with { type: "text" };

/** The lines of a section of the lexicon. */
const lines = (name: string): string[] => {
  const [, body = ""] = lexicon.split(`[${name}]\n`);
  return (body.split("\n[")[0] ?? "").trim().split("\n");
};
const wordsOf = (line: string): string[] => line.trim().split(/\s+/);
const section = (name: string): string[] => lines(name).flatMap(wordsOf);

const irregular = new Map(section("irregular forms").map((pair) => pair.split(":") as [string, string]));

const stems = new Cache<string, string>({ max: 10_000 });

/** The stem of a word in lower case. */
export const stemOf = (word: string): string =>
  stems.getOrMake(word, () => termOf(irregular.get(word) ?? word));

/** Words that turn a statement into its opposite; two of them cancel each other. */
export const negations = lazy(() => new Set(section("negations").map(stemOf)));

/** Words that say nothing about the subject of a decision: function words and verbs that any subject has. */
export const ignored = lazy(() => new Set(section("ignored").map(stemOf)));

/** Verbs that end the subject of a clause. */
export const finiteVerbs: ReadonlySet<string> = new Set(section("finite verbs"));

/** Verbs that begin an order. */
export const imperatives: ReadonlySet<string> = new Set(section("imperatives"));

export const prepositions: ReadonlySet<string> = new Set(section("prepositions"));

/** Words of a group of synonyms, each with the first one. */
const canonical = lazy(() => {
  const names = new Map<string, string>();
  for (const line of lines("synonyms")) {
    const [name = "", ...others] = wordsOf(line).map(stemOf);
    for (const other of others) names.set(other, names.get(name) ?? name);
  }
  return names;
});

/** The other stems of its group of synonyms. */
export const synonymsOf = (stem: string): string[] => {
  const name = nameOf(stem);
  return [name, ...[...canonical()].flatMap(([other, of]) => (of === name ? [other] : []))].filter(
    (one) => one !== stem,
  );
};

/** The name of a stem's group of synonyms, or the stem. */
export const nameOf = (stem: string): string => canonical().get(stem) ?? stem;

/** Values that exclude one another for one subject: words joined by `=` are one value. */
const exclusive = lazy(() => {
  const values = new Map<string, { group: number; value: string }[]>();
  lines("exclusive values").forEach((line, group) => {
    for (const member of wordsOf(line)) {
      const names = member.split("=").map(stemOf);
      for (const stem of names)
        values.set(stem, [...(values.get(stem) ?? []), { group, value: names[0] as string }]);
    }
  });
  return values;
});

/** The groups of exclusive values that a stem belongs to, each with the value it stands for. */
export const exclusiveValues = (stem: string) => exclusive().get(stem) ?? [];

/** Prefixes that turn a word into its opposite. */
export const negativePrefix = /^(?:un(?=\p{L}{3})|(?:in|im|dis|non-?|de|anti)(?=\p{L}{4}))/u;
