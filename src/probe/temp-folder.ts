/** Empty folders, for as long as something runs in them. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "svc-probe-";
/** Nothing runs for so long. */
const leftMs = 3_600_000;

export interface Folder {
  path: string;
  /** Also while somebody is in it, who then is nowhere. */
  remove(): Promise<void>;
}

export async function freshFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await freshFolder();
  try {
    return await work(folder.path);
  } finally {
    await folder.remove();
  }
}

/** Removes what processes left that were killed. */
export async function sweepFolders(): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => null); // another process may sweep too
    // Of another user, it is theirs to remove.
    if (found && Date.now() - found.mtimeMs > leftMs)
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
