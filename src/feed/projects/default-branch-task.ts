/** Which task a branch is for, by the default rule. `svc hook` imports this: it loads no package. */
import { isTaskKey, keyInBranch, shownKey } from "../../core/task-key.ts";

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

export type BranchTask = { issue: number } | { task: string };

/**
 * Returns the task that a branch is named after by the default rule; null if its name has none.
 * @param hasTracker whether the project has one: then a key counts in small letters, too
 */
export const defaultTaskOfBranch = (branch: string, hasTracker = false): BranchTask | null =>
  findTask(branch, (name) => keyInBranch(name, hasTracker) ?? numberIn(name));

/** Returns the task in the name of a branch. @param find returns the text of its number or key, or null */
export function findTask(branch: string, find: (name: string) => string | null): BranchTask | null {
  const name = branch.replace(/^refs\/heads\//, "");
  if (name.length > branchMax) return null;
  const found = find(name);
  if (found !== null && isTaskKey(found) && /\d/.test(found)) return { task: shownKey(found) };
  const issue = Number(found);
  return Number.isInteger(issue) && issue >= 1 && issue <= taskMax ? { issue } : null;
}

/** The task that a person names, as in SVC_TASK: PROJ-123, 12, or #12; null for anything else. */
export function taskNamed(text: string): BranchTask | null {
  const name = text.trim();
  if (isTaskKey(name)) return { task: name };
  const issue = Number(/^#?([1-9]\d{0,8})$/.exec(name)?.[1] ?? 0);
  return issue > 0 ? { issue } : null;
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
