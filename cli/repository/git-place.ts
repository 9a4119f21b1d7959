/** The branch and the repository of a folder, read from the files of Git: starting `git` takes too long. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface GitPlace {
  /** Null when a commit is checked out. */
  branch: string | null;
  /** `owner/name` of the remote `origin`, if it has that form. */
  repo: string | null;
}

/** The remote `origin`; a user and a password in its URL are never kept. */
export interface GitRemote {
  /** As the URL names it: over SSH that can be an alias. */
  host: string;
  /** Path of the repository on the host, without `.git`. */
  path: string;
}

/** What is read of a file of Git; more is not needed to find `origin`. */
const bytesMax = 256 * 1024;
const repoForm = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/;

/** Finds the checkout that holds the folder, also in a worktree or a submodule. */
export function gitPlace(folder: string): GitPlace {
  const gitFolder = findGitFolder(folder);
  if (gitFolder === null) return { branch: null, repo: null };
  const [, branch = null] = /^ref: refs\/heads\/(.+)$/m.exec(readStart(join(gitFolder, "HEAD"))) ?? [];
  const path = originIn(gitFolder)?.path ?? "";
  return { branch: branch?.trim() ?? null, repo: repoForm.test(path) ? path : null };
}

/** The commit that is checked out; null before the first one. */
export function gitHead(folder: string): string | null {
  const gitFolder = findGitFolder(folder);
  if (gitFolder === null) return null;
  const head = readStart(join(gitFolder, "HEAD")).trim();
  const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
  if (!ref) return isCommit(head) ? head : null;
  const shared = dirname(configOf(gitFolder));
  const loose = [gitFolder, shared].map((place) => readStart(join(place, ref)).trim()).find(isCommit);
  if (loose) return loose;
  const packed = readStart(join(shared, "packed-refs")).split("\n");
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? null;
}

const isCommit = (text: string): boolean => /^[0-9a-f]{40,64}$/.test(text);

/** The remote of the checkout that holds the folder; null without one on a host. */
export function originOf(folder: string): GitRemote | null {
  const gitFolder = findGitFolder(folder);
  return gitFolder === null ? null : originIn(gitFolder);
}

const originIn = (gitFolder: string): GitRemote | null => remoteOf(originUrl(readStart(configOf(gitFolder))));

function configOf(gitFolder: string): string {
  // A worktree keeps its HEAD, and shares the settings of the main checkout.
  const common = readStart(join(gitFolder, "commondir")).trim();
  return join(common ? resolve(gitFolder, common) : gitFolder, "config");
}

/**
 * Who commits in a folder, as `git config user.email` says: of the checkout, else of the user. Includes of
 * other files are not followed.
 */
export function gitEmail(folder: string): string | null {
  const gitFolder = findGitFolder(folder);
  const home = process.env.HOME ?? "";
  const own = gitFolder === null ? [] : [configOf(gitFolder)];
  for (const file of [...own, join(home, ".gitconfig"), join(home, ".config/git/config")]) {
    const [, section = ""] = /^\s*\[user\]([^[]*)/im.exec(readStart(file)) ?? [];
    const [, email] = /^\s*email\s*=\s*"?([^\s"]{1,254})/im.exec(section) ?? [];
    if (email) return email;
  }
  return null;
}

/** The folder of the checkout that holds a folder; null outside of one. */
export const checkoutRoot = (folder: string): string | null => findCheckout(folder)?.root ?? null;

const findGitFolder = (start: string): string | null => findCheckout(start)?.gitFolder ?? null;

function findCheckout(start: string): { root: string; gitFolder: string } | null {
  for (let root = resolve(start); ; root = dirname(root)) {
    const path = join(root, ".git");
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return { root, gitFolder: path };
    const [, target] = stat ? (/^gitdir: (.+)$/m.exec(readStart(path)) ?? []) : [];
    if (target) return { root, gitFolder: resolve(root, target.trim()) };
    if (root === dirname(root)) return null;
  }
}

function originUrl(config: string): string {
  const [, section = ""] = /^\s*\[remote "origin"\]([^[]*)/m.exec(config) ?? [];
  return /^\s*url\s*=\s*(.+)$/m.exec(section)?.[1]?.trim() ?? "";
}

/** Reads a URL, or `user@host:path` as SSH takes it; null for a folder. */
export function remoteOf(url: string): GitRemote | null {
  const isUrl = URL.canParse(url) && /^\w+:\/\//.test(url);
  const { host, pathname } = isUrl ? new URL(url) : scpPlace(url);
  const path = pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
  return host && path ? { host, path } : null;
}

function scpPlace(text: string): { host: string; pathname: string } {
  const [, host = "", pathname = ""] = /^(?:[^@/:]*@)?([^@/:]+):(.+)$/.exec(text) ?? [];
  return { host, pathname };
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
