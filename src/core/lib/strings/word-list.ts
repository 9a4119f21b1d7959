/** Lists of words in a sentence, in English. */
import { lazy } from "../lazy.ts";

const conjunction = lazy(() => new Intl.ListFormat("en", { type: "conjunction" }));
const disjunction = lazy(() => new Intl.ListFormat("en", { type: "disjunction" }));

/** `a, b, and c` */
export const listWithAnd = (words: readonly string[]): string => conjunction().format(words);

/** `a, b, or c` */
export const listWithOr = (words: readonly string[]): string => disjunction().format(words);
