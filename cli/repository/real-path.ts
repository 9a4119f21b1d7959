/** Where a file really is, or will be: through links of its own and of the folders above it. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** The nearest folder above a path that exists. */
export function existingFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || folder === path ? folder : existingFolder(folder);
}

/** Where a chain of symbolic links ends, also if there is no file yet. */
export function linkTarget(path: string, linksMax = 40): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  if (!isLink || linksMax === 0) return path;
  return linkTarget(resolve(dirname(path), readlinkSync(path)), linksMax - 1);
}

/** The path without any link in it, also if there is no file yet. */
export function realPath(path: string): string {
  const target = linkTarget(path);
  const folder = existingFolder(target);
  return join(realpathSync(folder), relative(folder, target));
}
