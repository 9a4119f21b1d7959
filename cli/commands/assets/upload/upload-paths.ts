/** The files that the arguments of `svc asset push` name. */
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { CommandError } from "../../../command-errors.ts";

export interface UploadPath {
  path: string;
  /** Title of the asset: the name of the file, or its path within the folder that was named. */
  title: string;
  size: number;
}

const filesMax = 1_000;

/**
 * Lists the named files, and all files below the named folders, sorted by path. Hidden files are left out.
 *
 * @throws CommandError for a path that does not exist, an empty folder, and too many files
 */
export async function listUploadPaths(paths: string[]): Promise<UploadPath[]> {
  const lists = await Promise.all(paths.map(filesAt));
  const files = lists.flat();
  if (files.length > filesMax)
    throw new CommandError(`These are ${files.length} files. Upload at most ${filesMax} at a time.`);
  return files;
}

async function filesAt(path: string): Promise<UploadPath[]> {
  const stats = await stat(path).catch(() => null);
  if (!stats) throw new CommandError(`File not found: ${path}`);
  if (!stats.isDirectory()) return [{ path, title: basename(path), size: stats.size }];
  const names = await Array.fromAsync(new Bun.Glob("**/*").scan({ cwd: path, dot: false, onlyFiles: true }));
  if (names.length === 0) throw new CommandError(`The folder ${path} has no files.`);
  return names.sort().map((title) => {
    const file = join(path, title);
    return { path: file, title, size: Bun.file(file).size };
  });
}
