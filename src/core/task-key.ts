/**
 * Keys of tasks that another tracker has, such as PROJ-123 of Jira or Linear. Rows hold a task in one column,
 * `issue`: the number of an issue or, for a key, a negative number that stands for it. So every index, sum,
 * and join of issues serves tasks of trackers as well. Rows that are shown carry the key in `task` too.
 */

export const taskKeyMax = 64;

/** Begins with a letter or a digit and has a letter, so that no number is a key. */
export const taskKeyPattern = "^([0-9][0-9._-]*)?[A-Za-z][A-Za-z0-9._-]*$";

const keyPattern = new RegExp(taskKeyPattern);

export const isTaskKey = (text: string): boolean => text.length <= taskKeyMax && keyPattern.test(text);

/** As trackers show it: Jira and Linear write PROJ-123 in capitals, and take it in any case. Others stay as given. */
export const shownKey = (key: string): string =>
  /^[A-Za-z][A-Za-z0-9_]*-[0-9]+$/.test(key) ? key.toUpperCase() : key;

/**
 * The number that stands for a key in rows, the same in any case: 48 bits of its hash. With 100,000 keys in a
 * project, two have the same number with a probability of 1 in 56,000.
 */
export function keyNumber(key: string): number {
  const hash = new Bun.CryptoHasher("sha256").update(key.toLowerCase()).digest();
  return -1 - hash.readUIntBE(0, 6);
}

interface NamedTask {
  issue?: number | null;
  task?: string | null;
}

/** The number of a task in rows: that of its issue, or the one that stands for its key; null without both. */
export const taskNumberOf = ({ issue, task }: NamedTask): number | null =>
  issue ?? (task == null ? null : keyNumber(task));

/** The number of an issue on its forge; null for the number of a key. */
export const issueOnly = (number: number | null | undefined): number | null =>
  number != null && number > 0 ? number : null;

/** A filter with the number of its key. No task is both an issue and a key, so both find none. */
export function withTaskNumber<Q extends { issue?: number; task?: string }>({ task, ...query }: Q) {
  return task === undefined ? query : { ...query, issue: query.issue === undefined ? keyNumber(task) : 0 };
}

/** `task PROJ-123` or `issue 12`, as briefs name a task; null without both. @param of a row, or what the API returns */
export const taskWords = ({ issue, task }: NamedTask): string | null =>
  task != null ? `task ${task}` : issue != null && issue > 0 ? `issue ${issue}` : null;

/** `#12`, `PROJ-123`, or `PR 40`: each that is named. */
export const taskNames = ({ issue, task, pr }: NamedTask & { pr?: number | null }): string[] => [
  ...(task != null ? [task] : issue ? [`#${issue}`] : []),
  ...(pr ? [`PR ${pr}`] : []),
];

/** Before a number, these are no project of a tracker: encodings, standards, and GH-12 or issue-12, an issue. */
const notProjects = new Set(
  (
    "AES ANSI ASCII CVE CWE ECMA EN ES GB GH GPT HTTP IEC IEEE ISO ISSUE ISSUES MD MP MR PEP PR RFC RSA " +
    "SHA TLS UTF"
  ).split(" "),
);

/** PROJ-123 in capitals, as trackers write it; no version and no date follows. */
const keyInWords = /(?<![A-Za-z0-9])[A-Z][A-Z0-9_]{1,9}-[1-9][0-9]{0,8}(?![A-Za-z0-9]|[-.]\d)/g;
/** The same in small letters at the start of a segment, as Linear names branches: `mara/proj-123-icons`. */
const keyOfBranch = /(?<![^/])[a-z][a-z0-9]{1,9}-[1-9][0-9]{0,8}(?![A-Za-z0-9]|[-.]\d)/g;

const firstKey = (text: string, pattern: RegExp): string | null => {
  const keys = (text.match(pattern) ?? []).map(shownKey);
  return keys.find((key) => !notProjects.has(key.slice(0, key.lastIndexOf("-")))) ?? null;
};

/** The first key in a text, such as the title of a pull request; null without one. */
export const keyInText = (text: string): string | null => firstKey(text, keyInWords);

/** The key in the name of a branch. @param hasTracker whether small letters count, too */
export const keyInBranch = (name: string, hasTracker: boolean): string | null =>
  firstKey(name, keyInWords) ?? (hasTracker ? firstKey(name, keyOfBranch) : null);
