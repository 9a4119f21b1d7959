/** What a claim is of: a task, a pull request, or files, as one text that is the same however it was written. */
import { badRequest } from "../../core/problem.ts";
import { isRepositoryPath } from "../../core/repository-path.ts";
import { isTaskKey, keyInText, shownKey } from "../../core/task-key.ts";

/**
 * Reads `12`, `#12`, `PR 40`, `!40`, `PROJ-123`, `src/app.ts`, or `src/map/**`. A key of another form follows
 * `task:`.
 * @throws 400 for anything else
 */
export function subjectOf(text: string): string {
  const given = text.trim();
  const [, issue] = /^#?([1-9]\d{0,8})$/.exec(given) ?? [];
  if (issue !== undefined) return `#${issue}`;
  const [, pr] = /^(?:PR ?#?|!)([1-9]\d{0,8})$/i.exec(given) ?? [];
  if (pr !== undefined) return `PR ${pr}`;
  const [, named] = /^task:(.+)$/.exec(given) ?? [];
  if (named !== undefined && isTaskKey(named)) return subjectOfTask({ task: named }) as string;
  const key = given.toUpperCase();
  if (keyInText(key) === key) return key;
  const path = given.replace(/^\.\//, "").replace(/\/$/, "/**");
  if (isRepositoryPath(path)) return path;
  throw badRequest(
    `subjects: "${text}" is no task such as #12 or PROJ-123, no pull request such as PR 40, and no path ` +
      "inside the repository such as src/map/**.",
  );
}

interface Task {
  issue?: number | null | undefined;
  task?: string | null | undefined;
  pr?: number | null | undefined;
}

/** The subject of a task, or of a pull request without one; null without both. */
export function subjectOfTask({ issue, task, pr }: Task): string | null {
  if (issue) return `#${issue}`;
  const key = task ? shownKey(task) : null;
  if (key !== null) return keyInText(key) === key ? key : `task:${key}`;
  return pr ? `PR ${pr}` : null;
}

/** Whether it is of files. */
export const isOfFiles = (subject: string): boolean =>
  !/^(#|PR |task:)/.test(subject) && keyInText(subject) !== subject;

const hasPattern = (path: string): boolean => /[*?[{]/.test(path);
/** What every path that matches begins with. */
const fixedPart = (path: string): string => path.replace(/[*?[{].*$/s, "");

/** Whether two are of the same task, or may be of the same file. */
export function overlap(a: string, b: string): boolean {
  if (a === b) return true;
  if (!isOfFiles(a) || !isOfFiles(b)) return false;
  if (new Bun.Glob(a).match(b) || new Bun.Glob(b).match(a)) return true;
  if (!hasPattern(a) || !hasPattern(b)) return a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  const [one, other] = [fixedPart(a), fixedPart(b)];
  return one.startsWith(other) || other.startsWith(one);
}
