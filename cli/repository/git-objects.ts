/**
 * What Git has of several files, in one process for all of them: starting `git` takes longer than its work.
 * `svc hook` loads this: it imports no other file.
 */
import { isAbsolute, normalize } from "node:path";

/** The output of git; null if it fails, or takes longer than `timeoutMs`. */
export const git = (folder: string, args: readonly string[], input?: string, timeoutMs?: number) =>
  gitBytes(folder, args, input, timeoutMs)?.toString() ?? null;

function gitBytes(
  folder: string,
  args: readonly string[],
  input?: string,
  timeoutMs?: number,
): Buffer | null {
  try {
    const { success, stdout } = Bun.spawnSync(["git", "-C", folder, ...args], {
      stderr: "ignore",
      stdin: input === undefined ? "ignore" : Buffer.from(input),
      ...(timeoutMs !== undefined && { timeout: Math.max(1, Math.ceil(timeoutMs)) }),
    });
    return success ? stdout : null;
  } catch {
    return null; // git is not installed
  }
}

/** Git refuses the whole list for one path that leads out of the repository. */
export const isInside = (path: string): boolean =>
  !isAbsolute(path) && !/^\.\.(?:[\\/]|$)/.test(normalize(path));

/** The ids of files and folders in a revision, by path; null if there is no such revision. */
export function objectsAt(
  folder: string,
  revision: string,
  paths: readonly string[],
): Map<string, string> | null {
  const args = ["--literal-pathspecs", "ls-tree", "--full-tree", "-z", revision, "--"];
  const listed = git(folder, [...args, ...paths.filter(isInside)]);
  if (listed === null) return null;
  return new Map(
    listed.split("\0").flatMap((line) => {
      const [, id, path] = /^\d+ \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return id !== undefined && path !== undefined ? [[path, id] as const] : [];
    }),
  );
}

/** The ids of files as `commit:path` names them, in their order; null for one that Git does not have. */
export function namedObjects(
  folder: string,
  names: readonly string[],
  timeoutMs: number,
): (string | null)[] | null {
  if (names.length === 0) return [];
  const lines = names.map((name) => name.replaceAll("\n", " ")).join("\n");
  const listed = git(folder, ["cat-file", "--batch-check=%(objectname)"], `${lines}\n`, timeoutMs);
  const found = listed?.split("\n") ?? null;
  return found && names.map((_, at) => /^[0-9a-f]{40,64}$/.exec(found[at] ?? "")?.[0] ?? null);
}

/** The texts of files, by their ids; null if they take too long. */
export function textsOf(
  folder: string,
  ids: ReadonlySet<string>,
  timeoutMs: number,
): Map<string, string> | null {
  if (ids.size === 0) return new Map();
  const format = ["cat-file", "--batch=%(objectname) %(objectsize)"];
  const listed = gitBytes(folder, format, `${[...ids].join("\n")}\n`, timeoutMs);
  if (!listed) return null;
  const texts = new Map<string, string>();
  for (let at = 0; at < listed.length; ) {
    const end = listed.indexOf(10, at);
    if (end < 0) break;
    const [id = "", size] = listed.toString("latin1", at, end).split(" ");
    const bytes = Number(size);
    if (!Number.isSafeInteger(bytes)) {
      at = end + 1; // it is missing
      continue;
    }
    texts.set(id, listed.toString("utf8", end + 1, end + 1 + bytes));
    at = end + 1 + bytes + 1;
  }
  return texts;
}

/**
 * What a log lists after each commit, with `-z` and this format.
 * @returns null if git fails or takes too long
 */
export function logFields(
  folder: string,
  args: readonly string[],
  timeoutMs: number,
): { commit: string; fields: string[] }[] | null {
  const listed = git(
    folder,
    ["--literal-pathspecs", "log", "-z", "--format=commit %H", ...args],
    undefined,
    timeoutMs,
  );
  if (listed === null) return null;
  const commits: { commit: string; fields: string[] }[] = [];
  for (const token of listed.split("\0")) {
    const [, commit] = /^commit ([0-9a-f]{40,64})$/.exec(token) ?? [];
    const field = token.replace(/^\n/, "");
    if (commit) commits.push({ commit, fields: [] });
    else if (field) commits.at(-1)?.fields.push(field);
  }
  return commits;
}
