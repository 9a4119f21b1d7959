/** Temporary folders of child processes. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "svc-probe-";
/** Age after which no process can still be using a folder. */
const staleMs = 3_600_000;

export interface TempFolder {
  path: string;
  /** Works even if it is the working directory of a process. */
  remove(): Promise<void>;
}

/** Creates an empty folder that only svc can read. */
export async function createTempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
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
  const names = await readdir(tmpdir());
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => null); // another process may have deleted it
    // A folder of another user cannot be deleted.
    if (found && Date.now() - found.mtimeMs > staleMs)
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
