/**
 * What the local store asks of the file system: files that are whole and on the disk before anybody sees
 * them.
 */
import type { Dirent, Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Problem, unavailable } from "../problem.ts";
import { Memory, Scribe } from "./disk-worker-pool.ts";
import { isListed, isPrefix } from "./keys.ts";
import type { ObjectInfo, PutOptions, Source, Written } from "./store.ts";
import { blockBytes, blocks } from "./upload-stream.ts";

/**
 * The disk starts on what is written so far this often, so that the last sync, and everybody else's, is
 * short.
 */
const syncEveryBytes = 32 * 2 ** 20;

/** There is no such file, as far as a reader is concerned. */
const missing = new Set<string | undefined>(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EISDIR"]);
const full = new Set<string | undefined>(["ENOSPC", "EDQUOT", "EFBIG", "EROFS"]);

export const codeOf = (error: unknown): string | undefined => (error as { code?: string } | null)?.code;

export const orMissing = (error: unknown): null => {
  if (missing.has(codeOf(error))) return null;
  throw fault(error);
};

/** What a failing disk means for whoever wanted the bytes. */
export function fault(error: unknown): unknown {
  if (error instanceof Problem || codeOf(error) === undefined) return error;
  return unavailable(
    full.has(codeOf(error)) ? "The store is full or read-only." : "The store failed with an I/O error.",
    error,
  );
}

export const onDisk = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw fault(error);
  });

/** Work that goes on beside other work: it fails when it is waited for, not before. */
function aside(work: Promise<void>): Promise<void> {
  const done = onDisk(work);
  done.catch(() => {});
  return done;
}

/** A new file with everything the source gives, on the disk when this resolves. */
export async function writeFile(path: string, source: Source, options: PutOptions): Promise<Written> {
  using memory = new Memory();
  return await writeBlocks(path, blocks(source, options, blockBytes, 2, memory));
}

/** The same of blocks, each of which may be overwritten by the one after the next. */
export async function writeBlocks(path: string, blocks: AsyncIterable<Uint8Array>): Promise<Written> {
  const handle = await onDisk(openNew(path));
  using scribe = new Scribe(handle);
  let synced = 0;
  let writing = Promise.resolve();
  let syncing: Promise<void> | null = null;
  const syncSoon = () => {
    synced = scribe.size;
    const done = () => {
      syncing = null; // but for one that failed: that is waited for
    };
    syncing = aside(handle.datasync().then(done));
  };
  try {
    for await (const block of blocks) {
      await writing;
      writing = aside(scribe.add(block));
      if (scribe.size - synced >= syncEveryBytes && !syncing) syncSoon();
    }
    await writing;
    await syncing;
    await onDisk(handle.sync());
    return { size: scribe.size, sha256: await scribe.end() };
  } finally {
    await Promise.allSettled([writing, syncing]);
    await handle.close();
  }
}

/** Its folder is made where it is missing: mostly it is there. */
function openNew(path: string): Promise<FileHandle> {
  const create = () => open(path, "wx", 0o600);
  return create().catch(async (error) => {
    if (codeOf(error) !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return create();
  });
}

/** Removes folders that hold nothing any more, from the inside out. */
export async function removeEmpty(from: string, upTo: string): Promise<void> {
  for (let folder = from; folder !== upTo; folder = dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false, // it holds something, or somebody else removed it
    );
    if (!removed) return;
  }
}

/** Whether every part of the path is what it says, and no link to another place. */
export const isReal = async (path: string): Promise<boolean> =>
  (await realpath(path).catch(orMissing)) === path;

export async function fileAt(path: string): Promise<Stats | null> {
  if (!(await isReal(path))) return null;
  const stats = await lstat(path).catch(orMissing);
  return stats?.isFile() ? stats : null;
}

/** A file gets its last name after its last byte: the change of its names is what tells its age. */
export const infoOf = (stats: Stats): ObjectInfo => ({ size: stats.size, modifiedAt: stats.ctime });

/** Every file under `prefix` that a key names, in the order of the keys' bytes, behind `after`. */
export async function* walk(
  root: string,
  prefix: string,
  after: Buffer,
): AsyncGenerator<ObjectInfo & { key: string }> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true }).catch(orMissing);
  const named = (entries ?? []).map((entry: Dirent) => {
    const path = `${prefix}${entry.name}${entry.isDirectory() ? "/" : ""}`;
    return { entry, path, bytes: Buffer.from(path) };
  });
  for (const { entry, path, bytes } of named.sort((a, b) => Buffer.compare(a.bytes, b.bytes))) {
    const passed = Buffer.compare(bytes, after) <= 0;
    if (entry.isDirectory()) {
      if (isPrefix(path) && (!passed || after.subarray(0, bytes.length).equals(bytes)))
        yield* walk(root, path, after);
    } else if (entry.isFile() && !passed && isListed(path)) {
      const stats = await lstat(join(root, path)).catch(orMissing);
      if (stats) yield { key: path, ...infoOf(stats) };
    }
  }
}
