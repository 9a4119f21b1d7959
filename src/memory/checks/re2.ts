/** Patterns of checks: RE2, which takes linear time for any pattern and text. Imports nothing until one is used. */
import type { RE2JS } from "re2js";

export interface Pattern {
  /** Whether it matches anywhere in the text; `^` and `$` are the ends of lines. */
  isIn(text: string): boolean;
  isAtStartOf(text: string): boolean;
}

/** @throws Error with the reason if it is not RE2 syntax. Loading the engine takes 24 ms. */
export function compilePattern(pattern: string): Pattern {
  const { RE2JS: engine } = require("re2js") as { RE2JS: typeof RE2JS };
  const expression = engine.compile(pattern, engine.MULTILINE);
  return {
    isIn: (text) => expression.matcher(text).find(),
    isAtStartOf: (text) => expression.matcher(text).lookingAt(),
  };
}
