/** What changed in a Git checkout, from `git` itself. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ChangedFile, parseDiff } from "./diff.ts";

/** `git` cannot say what changed. Printed as one line, as other expected errors are. */
export class GitError extends Error {
  override name = "CommandError";
}

export interface Changes {
  files: ChangedFile[];
  /** The folder that their paths are relative to. */
  root: string;
  read(path: string): string | null;
}

/** Larger new files are not read: text that people write is smaller. */
const fileBytesMax = 2 * 2 ** 20;

/** Options that settings of the user cannot change. */
const diffOptions = [
  ...["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", "--find-renames"],
  ...["--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules"],
];
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * The changes of the working tree since a commit, with new files, or those that are staged.
 * @param since a revision; null: the commit that is checked out
 * @throws GitError if the folder is in no checkout, or has no such revision
 */
export function gitChanges(
  folder: string,
  { since, isStaged = false, paths = [] }: { since: string | null; isStaged?: boolean; paths?: string[] },
): Changes {
  const { root, hasCommit } = checkoutOf(folder);
  const head = since ?? (hasCommit ? "HEAD" : emptyTree);
  const range = isStaged ? ["--cached", head] : since === null ? [head] : ["--merge-base", head];
  const files = parseDiff(git(folder, [...diffOptions, ...range, "--", ...paths]));
  const readTree = (path: string) => readText(join(root, path));
  if (isStaged) return { files, root, read: (path) => tryGit(root, ["show", `:${path}`]) };
  const listed = git(folder, [
    "ls-files",
    "--others",
    "--exclude-standard",
    "--full-name",
    "-z",
    "--",
    ...paths,
  ]);
  const untracked = listed.split("\0").flatMap((path): ChangedFile[] => {
    const text = path === "" ? null : readTree(path);
    if (text === null) return [];
    return [{ path, added: text.split("\n").map((line, at) => ({ line: at + 1, text: line })) }];
  });
  return { files: [...files, ...untracked], root, read: readTree };
}

/** Whether a commit is checked out, or one that follows it. */
export const isAncestor = (folder: string, commit: string): boolean =>
  tryGit(folder, ["merge-base", "--is-ancestor", commit, "HEAD"]) !== null;

/** One call of `git` says both: before the first commit it prints the folder, and fails at HEAD. */
function checkoutOf(folder: string): { root: string; hasCommit: boolean } {
  const result = run(folder, ["rev-parse", "--show-toplevel", "HEAD"]);
  const [root = ""] = result.stdout.toString().split("\n");
  return { root: root || outputOf(result), hasCommit: result.exitCode === 0 };
}

/** The text of a file; null if there is none, or it is binary. */
export function readText(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > fileBytesMax) return null;
  try {
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

const git = (folder: string, args: string[]): string => outputOf(run(folder, args));

function outputOf({ exitCode, stdout, stderr }: ReturnType<typeof run>): string {
  if (exitCode === 0) return stdout.toString();
  const [reason = ""] = stderr.toString().trim().split("\n");
  throw new GitError(`git: ${reason.replace(/^(fatal|error): /, "") || `it ended with ${exitCode}`}`);
}

function tryGit(folder: string, args: string[]): string | null {
  const { exitCode, stdout } = run(folder, args);
  return exitCode === 0 ? stdout.toString() : null;
}

function run(folder: string, args: string[]) {
  try {
    return Bun.spawnSync(["git", "-c", "core.quotePath=false", ...args], { cwd: folder, stdin: "ignore" });
  } catch {
    throw new GitError("svc check needs git, which is not on PATH. Or give it a diff: --diff FILE.");
  }
}
