/** The files that a run changed, as its events name them. */
import type { Micros } from "../../core/lib/time.ts";
import { badRequest } from "../../core/problem.ts";
import { isRepositoryPath } from "../../core/repository-path.ts";
import { changedFilesMax } from "../../core/runs/reported-run.ts";

/** A path inside the repository, and when an event of the run last named it. */
export type TouchedFile = readonly [path: string, ts: Micros];

/**
 * Adds what an event names. Each file has its newest time, so the order of the events does not matter: a file
 * that was left out had at least as many newer ones beside it, and their times only rise.
 * @returns `before` itself if nothing changes
 */
export function foldFiles(
  before: readonly TouchedFile[],
  { files, ts }: { files: readonly string[]; ts: Micros },
): readonly TouchedFile[] {
  if (files.length === 0) return before;
  const times = new Map(before);
  for (const path of files) times.set(path, Math.max(ts, times.get(path) ?? ts));
  return [...times].sort(([a, at], [b, bt]) => bt - at || (a < b ? -1 : 1)).slice(0, changedFilesMax);
}

/** @throws 400, naming the field, for a path that leads out of the repository */
export function requirePaths(files: readonly string[] | null | undefined, field: string): void {
  const wrong = files?.find((path) => !isRepositoryPath(path));
  if (wrong !== undefined)
    throw badRequest(`${field}: "${wrong}" is no path inside the repository, such as src/app.ts.`);
}
