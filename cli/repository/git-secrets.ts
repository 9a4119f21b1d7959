/** Keeps files with secrets out of commits, in whichever repository a link leads to. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { excludeFile, isCommittable, isTracked, projectFolderOf } from "./git.ts";
import { existingFolder, realPath } from "./real-path.ts";

/** Why a token cannot be written to a file: git tracks it. Null if it does not. */
export function trackedFault(path: string): string | null {
  const place = realPath(path);
  const folder = existingFolder(place);
  if (!isTracked(folder, place)) return null;
  const repository = projectFolderOf(folder);
  const linked = place === path ? "" : `, which ${path} leads to`;
  return (
    `Git tracks ${place}${linked}, and the token would end up in a commit. Nothing was changed. ` +
    `Untrack it first: git -C ${repository} rm --cached ${relative(repository, place)}`
  );
}

/**
 * Adds a file to `.git/info/exclude`, which is never committed, unless git ignores it already.
 *
 * @returns the repository that ignores it from now on; null if nothing had to be added
 */
export function excludeFromCommits(path: string): string | null {
  const place = realPath(path);
  const folder = existingFolder(place);
  if (!isCommittable(folder, place)) return null;
  const [repository, excludes] = [projectFolderOf(folder), excludeFile(folder)];
  if (excludes === null) return null;
  mkdirSync(dirname(excludes), { recursive: true });
  let text = "";
  try {
    text = readFileSync(excludes, "utf8");
  } catch {} // git creates it by its template only
  const pattern = `/${relative(repository, place).replaceAll(sep, "/")}`;
  appendFileSync(excludes, `${text === "" || text.endsWith("\n") ? "" : "\n"}${pattern}\n`);
  return repository;
}
