/**
 * Whether the files that decisions speak of are as they were, by the ids of Git, which follow from contents
 * and hold none. `svc hook` imports this: it imports no other file.
 */
import { isAbsolute, normalize } from "node:path";

export interface Anchor {
  /** The id of the decision. */
  decision: number;
  path: string;
  /** A name in the file, which is all that has to stay. */
  symbol: string | null;
  /** The id of the file when it was decided; null if no checkout was at hand. */
  blob: string | null;
  /** When it was decided. */
  since: string;
}

/** What a decision is recorded with. */
export type FoundAnchor = { path: string; symbol?: string; blob?: string };

export type AnchorState = "holds" | "changed since" | "gone";

/** After this time no file or history is read: what needs them has no state. A session waits for it. */
const historyMs = 150;
/** A file is followed through this many renames. */
const renamesMax = 8;

/** The output of git; null if it fails. */
export function git(folder: string, args: readonly string[], input?: string): string | null {
  try {
    const { success, stdout } = Bun.spawnSync(["git", "-C", folder, ...args], {
      stderr: "ignore",
      stdin: input === undefined ? "ignore" : Buffer.from(input),
    });
    return success ? stdout.toString() : null;
  } catch {
    return null; // git is not installed
  }
}

/** Git refuses the whole list for one path that leads out of the repository. */
const isInside = (path: string): boolean => !isAbsolute(path) && !/^\.\.(?:[\\/]|$)/.test(normalize(path));

/** The ids of files and folders in a revision, by path; null if there is no such revision. */
export function objectsAt(
  folder: string,
  revision: string,
  paths: readonly string[],
): Map<string, string> | null {
  const listed = git(folder, [
    "--literal-pathspecs",
    "ls-tree",
    "--full-tree",
    "-z",
    revision,
    "--",
    ...paths.filter(isInside),
  ]);
  if (listed === null) return null;
  const entries = listed.split("\0").flatMap((line) => /^\d+ \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []);
  return new Map(
    Array.from({ length: entries.length / 3 }, (_, at) => [
      entries[3 * at + 2] as string,
      entries[3 * at + 1] as string,
    ]),
  );
}

/**
 * The states of anchors in a checkout, in their order; null without a repository or a commit.
 * @param revision what is checked out
 */
export function anchorStates(
  folder: string,
  anchors: readonly Anchor[],
  revision = "HEAD",
): (AnchorState | null)[] | null {
  if (anchors.length === 0) return [];
  const objects = objectsAt(folder, revision, [...new Set(anchors.map(({ path }) => path))]);
  if (!objects) return null;
  const until = performance.now() + historyMs;
  return anchors.map((anchor) => {
    const isQuick = objects.has(anchor.path) && anchor.symbol === null && anchor.blob !== null;
    if (!isQuick && performance.now() > until) return null;
    const now = objects.get(anchor.path) ?? renamed(folder, anchor.path, revision);
    if (now === null) return "gone";
    if (anchor.symbol) return hasSymbol(folder, now, anchor.symbol) ? "holds" : "gone";
    const before = anchor.blob ?? blobAt(folder, anchor, revision);
    return before === null || before === now ? "holds" : "changed since";
  });
}

/** The id of a file that was renamed, by the commit that removed each of its names; null if it was deleted. */
function renamed(folder: string, path: string, revision: string): string | null {
  let name = path;
  for (let hop = 0; hop < renamesMax; hop++) {
    const removal = ["log", "-1", "--format=%H", "--no-renames", "--diff-filter=D", revision, "--", name];
    const commit = git(folder, ["--literal-pathspecs", ...removal])?.trim();
    if (!commit) return null;
    const renames = [
      "diff-tree",
      "-r",
      "-z",
      "-M",
      "--diff-filter=R",
      "--name-status",
      "--no-commit-id",
      commit,
    ];
    const fields = git(folder, renames)?.split("\0") ?? [];
    const at = fields.findIndex((field, index) => index % 3 === 1 && field === name);
    const next = fields[at + 1];
    if (at < 0 || next === undefined) return null;
    const found = objectsAt(folder, revision, [next])?.get(next);
    if (found !== undefined) return found;
    name = next;
  }
  return null;
}

/** The id that a file had when it was decided, by the history; null if there was no such file. */
function blobAt(folder: string, { path, since }: Anchor, revision: string): string | null {
  const commit = git(folder, ["rev-list", "-1", "--first-parent", `--before=${since}`, revision])?.trim();
  return commit ? (objectsAt(folder, commit, [path])?.get(path) ?? null) : null;
}

/** Whether a file has a word, which no letter, digit, or underscore touches. */
function hasSymbol(folder: string, blob: string, symbol: string): boolean {
  const text = git(folder, ["cat-file", "blob", blob]) ?? "";
  const name = symbol.replace(/[^\p{L}\p{N}_]/gu, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, "u").test(text);
}

/**
 * The text of a brief, whose lines of decisions say whether what they speak of is as it was: `holds`, or each
 * file that changed or is gone.
 */
export function withAnchorStates(
  text: string,
  anchors: readonly Anchor[] | undefined,
  folder: string,
): string {
  const states = anchors && anchorStates(folder, anchors);
  if (!anchors || !states) return text;
  return text.replace(/^(- \d{4}-\d\d-\d\d, decision (\d+))/gm, (start, _, id) => {
    const own = anchors.flatMap(({ decision, path, symbol }, at) =>
      decision === Number(id) && states[at]
        ? [{ name: symbol ? `${path}#${symbol}` : path, state: states[at] }]
        : [],
    );
    if (own.length === 0) return start;
    const lost = own.filter(({ state }) => state !== "holds").map(({ name, state }) => `${name} ${state}`);
    return `${start} [${lost.length > 0 ? lost.join(", ") : "holds"}]`;
  });
}
