/** Temporary folders of child processes. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unavailable } from "../../../core/problem.ts";

const prefix = "svc-probe-";
/** Age after which no process can still be using a folder. */
const staleMs = 3_600_000;

export interface TempFolder {
  path: string;
  /** Works even if it is the working directory of a process. */
  remove(): Promise<void>;
}

/**
 * Creates an empty folder that only svc can read.
 * @throws {Problem} 503
 */
export async function createTempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix)).catch((error) => {
    throw unavailable("The server's temporary folder is full or not writable. Try again later.", error);
  });
  // What cannot be deleted now is deleted as stale.
  return { path, remove: () => rm(path, { recursive: true, force: true }).catch(() => {}) };
}

/** Runs the work with a temporary folder, and deletes the folder afterwards. */
export async function withTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await createTempFolder();
  try {
    return await work(folder.path);
  } finally {
    await folder.remove();
  }
}

/** Deletes folders left behind by killed processes. */
export async function deleteStaleFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []); // it may be mounted later
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => null); // another process may have deleted it
    // A folder of another user cannot be deleted.
    if (found && Date.now() - found.mtimeMs > staleMs)
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
