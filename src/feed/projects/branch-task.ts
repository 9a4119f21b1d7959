/** Which task a branch is for, by its name. */
import type { RE2JS } from "re2js";
import { boundedByCount, Cache } from "../../core/lib/cache.ts";
import { branchPatternMax } from "../../core/projects/branch-pattern-length.ts";
import type { ProjectRow } from "../rows.ts";
import { type BranchTask, defaultTaskOfBranch, findTask } from "./default-branch-task.ts";

/**
 * Returns the task that a branch is named after; null if its name has none. `branch_pattern` is the project's
 * own regular expression (RE2 syntax), whose one group is the number or the key; null for the default.
 */
export const taskOfBranch = (
  branch: string,
  { branch_pattern, task_url }: Pick<ProjectRow, "branch_pattern" | "task_url">,
): BranchTask | null =>
  branch_pattern === null
    ? defaultTaskOfBranch(branch, task_url !== null)
    : findTask(branch, compile(branch_pattern).match);

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

const compiled = new Cache<string, CompiledPattern>({ max: 64, bytesOf: boundedByCount });
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
    if (groups !== 1) return unusable(`must have exactly one group for the number or key, but has ${groups}`);
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
