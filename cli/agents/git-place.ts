/** The branch and the repository of a folder, read from the files of Git: starting `git` takes too long. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface GitPlace {
  /** Null when a commit is checked out. */
  branch: string | null;
  /** `owner/name` of the remote `origin`, if it has that form. */
  repo: string | null;
}

/** What is read of a file of Git; more is not needed to find `origin`. */
const bytesMax = 256 * 1024;
const repoForm = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/;

/** Finds the checkout that holds the folder, also in a worktree or a submodule. */
export function gitPlace(folder: string): GitPlace {
  const gitFolder = findGitFolder(folder);
  if (gitFolder === null) return { branch: null, repo: null };
  const [, branch = null] = /^ref: refs\/heads\/(.+)$/m.exec(readStart(join(gitFolder, "HEAD"))) ?? [];
  // A worktree keeps its HEAD, and shares the settings of the main checkout.
  const common = readStart(join(gitFolder, "commondir")).trim();
  const config = readStart(join(common ? resolve(gitFolder, common) : gitFolder, "config"));
  return { branch: branch?.trim() ?? null, repo: repoOf(originUrl(config)) };
}

function findGitFolder(start: string): string | null {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const path = join(folder, ".git");
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return path;
    const [, target] = stat ? (/^gitdir: (.+)$/m.exec(readStart(path)) ?? []) : [];
    if (target) return resolve(folder, target.trim());
    if (folder === dirname(folder)) return null;
  }
}

function originUrl(config: string): string {
  const [, section = ""] = /^\s*\[remote "origin"\]([^[]*)/m.exec(config) ?? [];
  return /^\s*url\s*=\s*(.+)$/m.exec(section)?.[1]?.trim() ?? "";
}

/** The last two segments of a URL or of `user@host:path`; a user and a password in it are never kept. */
function repoOf(url: string): string | null {
  const path =
    URL.canParse(url) && /^\w+:\/\//.test(url) ? new URL(url).pathname : url.replace(/^[^:]*:/, "");
  const repo = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
  return repoForm.test(repo) ? repo : null;
}

/** The first bytes of a file; empty if it cannot be read. */
function readStart(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const bytes = Buffer.allocUnsafe(bytesMax);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytesMax, 0));
  } catch {
    return ""; // a folder
  } finally {
    closeSync(file);
  }
}
