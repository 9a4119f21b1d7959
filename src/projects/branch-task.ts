/** Which issue a branch is for, by its name. */
import type { RE2JS } from "re2js";
import { Cache } from "../lib/cache.ts";
import { branchPatternMax } from "./branch-pattern-length.ts";

const branchMax = 255;
const taskMax = 2_147_483_647;

/** A number after `issue`, `issues` or `gh`: `issue-42`, `feature/gh-42`, `issues/42-login`. */
const named = /(?:^|[/_-])(?:issues?|gh)[-_/#]*(\d{1,10})(?![\d.])/i;
/** A number that starts a segment of the path: `42-login`, `fix/42`. */
const leading = /(?:^|\/)#?([1-9]\d{0,9})(?=$|[/_-])/g;
/** Before a number: a branch of a release is named after a version or a date. */
const release = /(?:^|\/)(?:v|versions?|releases?|support|stable|(?:19|20)\d\d)\/$/i;
/** A year or a date, not an issue: `2026-11`, `20261103`. */
const date = /^(?:(?:19|20)\d\d|(?:19|20)\d{6})$/;
/** After a number: the rest of a version or a date, as in `3-2-1`. */
const furtherNumber = /^[-_]\d+(?:$|[-_/.])/;

/**
 * Returns the issue that a branch is named after; null if its name has none.
 * @param pattern the project's own regular expression (RE2 syntax) whose one group is the number; null for
 * the default
 */
export function taskOfBranch(branch: string, pattern: string | null): { issue: number } | null {
  const name = branch.replace(/^refs\/heads\//, "");
  if (name.length > branchMax) return null;
  const issue = Number(pattern === null ? numberIn(name) : compile(pattern).match(name));
  return Number.isInteger(issue) && issue >= 1 && issue <= taskMax ? { issue } : null;
}

/** Returns the text of the number, by the default rule. */
function numberIn(name: string): string | null {
  const number = named.exec(name)?.[1];
  if (number !== undefined) return number;
  for (const match of name.matchAll(leading)) {
    const text = match[1] as string;
    const start = match.index + match[0].length - text.length;
    const isIssue =
      !date.test(text) &&
      !release.test(name.slice(0, start)) &&
      !furtherNumber.test(name.slice(start + text.length));
    if (isIssue) return text;
  }
  return null;
}

/** Returns why a pattern cannot be used; null if it can. */
export function branchPatternProblem(pattern: string): string | null {
  if (pattern.length > branchPatternMax) return `must have at most ${branchPatternMax} characters`;
  return compile(pattern).problem;
}

interface CompiledPattern {
  problem: string | null;
  /** Returns the text of the group; null without a match, and for a pattern with a problem. */
  match: (name: string) => string | null;
}

const compiled = new Cache<string, CompiledPattern>({ max: 64 });
const compile = (pattern: string) => compiled.getOrMake(pattern, () => compilePattern(pattern));

/**
 * RE2 matches in linear time, so no pattern can stall the server. It is loaded with the first pattern, since
 * it takes 24 ms and most projects have none.
 */
function compilePattern(pattern: string): CompiledPattern {
  const { RE2JS: engine } = require("re2js") as { RE2JS: typeof RE2JS };
  try {
    const expression = engine.compile(pattern);
    const groups = expression.groupCount();
    if (groups !== 1) return unusable(`must have exactly one group for the number, but has ${groups}`);
    return {
      problem: null,
      match: (name) => {
        const found = expression.matcher(name);
        return found.find() ? found.group(1) : null;
      },
    };
  } catch (error) {
    return unusable(`must be a regular expression in RE2 syntax: ${(error as Error).message}`);
  }
}

const unusable = (problem: string): CompiledPattern => ({ problem, match: () => null });
