/** Finds files of sessions in folders of the user. What cannot be read is left out. */
import { readdirSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SessionFiles } from "./session.ts";

export const home = (): string => process.env.HOME || homedir();

/** The paths of entries in a folder; none if it cannot be read. */
export function entriesOf(folder: string): { name: string; path: string; isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      path: join(folder, entry.name),
      isFolder: entry.isDirectory(),
    }));
  } catch {
    return [];
  }
}

/** Every file below a folder whose name fits. */
export function filesBelow(folder: string, fits: (name: string) => boolean, depth = 8): string[] {
  return entriesOf(folder).flatMap(({ name, path, isFolder }) =>
    isFolder ? (depth > 0 ? filesBelow(path, fits, depth - 1) : []) : fits(name) ? [path] : [],
  );
}

/** The state of files that are read together; null if none is there. */
export function sessionFiles(key: string, paths: readonly string[]): SessionFiles | null {
  const found = paths.flatMap((path) => {
    const stat = statOf(path);
    return stat?.isFile() ? [{ path, stat }] : [];
  });
  if (found.length === 0) return null;
  const stats = found.map(({ stat }) => stat);
  return {
    key,
    paths: found.map(({ path }) => path),
    bytes: stats.reduce((sum, { size }) => sum + size, 0),
    changedAt: Math.max(...stats.map(({ mtimeMs }) => mtimeMs)),
    createdAt: Math.min(...stats.map(({ birthtimeMs, mtimeMs }) => birthtimeMs || mtimeMs)),
    version: stats.map(({ size, mtimeMs }) => `${size}:${Math.round(mtimeMs)}`).join(" "),
  };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return; // a link to itself, or into a folder of someone else
  }
}
