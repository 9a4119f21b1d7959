/** A store in a fresh folder. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localStore } from "../../../src/files/stores/disk/store.ts";
import { repositoryRoot } from "../repository.ts";
import { bytesOf, ids, MiB } from "./store-sources.ts";

export const [id] = ids;
export const key = `atlas/${id}/file.bin`;
export const options = { type: "application/octet-stream", maxBytes: 64 * MiB };
export const small = bytesOf(10_000);
const childFile = join(repositoryRoot, "test/support/stores/store-child.ts");

export async function freshFolder() {
  const path = await mkdtemp(join(tmpdir(), "svc-disk-"));
  const root = join(path, "store");
  return {
    path,
    root,
    store: localStore({ root }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Every file below a folder, temporary ones too. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

export const childOf = (root: string, task: string, bytes: number) => [
  process.execPath,
  childFile,
  JSON.stringify([{ root }, task, key, bytes]),
];
