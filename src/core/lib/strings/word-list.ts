/** Lists of words: in a sentence, in English, and separated by commas. */
import { lazy } from "../lazy.ts";

const conjunction = lazy(() => new Intl.ListFormat("en", { type: "conjunction" }));
const disjunction = lazy(() => new Intl.ListFormat("en", { type: "disjunction" }));

/** `a, b, and c` */
export const listWithAnd = (words: readonly string[]): string => conjunction().format(words);

/** `a, b, or c` */
export const listWithOr = (words: readonly string[]): string => disjunction().format(words);

/** The items of `a, b,c`, without empty ones. */
export const splitList = (text: string, separator = ","): string[] =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);
