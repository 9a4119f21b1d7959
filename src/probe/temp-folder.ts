/** Empty folders, for as long as something runs in them. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "svc-probe-";
/** Nothing runs for so long. */
const staleMs = 3_600_000;

export interface TempFolder {
  path: string;
  /** Also while somebody is in it, who then is nowhere. */
  remove(): Promise<void>;
}

export async function createTempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export async function withTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await createTempFolder();
  try {
    return await work(folder.path);
  } finally {
    await folder.remove();
  }
}

/** Removes what processes left that were killed. */
export async function deleteStaleFolders(): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => null); // another process may sweep too
    // Of another user, it is theirs to remove.
    if (found && Date.now() - found.mtimeMs > staleMs)
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
