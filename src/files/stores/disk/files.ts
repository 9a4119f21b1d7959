/** File system operations of the local store: a file is complete and durable before it becomes visible. */
import type { Dirent, Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Problem, unavailable } from "../../../core/problem.ts";
import { isListed, isPrefix } from "../keys.ts";
import type { ByteStream, ContentDigest, ObjectInfo, PutOptions } from "../store.ts";
import { blockBytes, splitIntoBlocks } from "../upload-stream.ts";
import { HashingWriter, PooledBlocks } from "./worker-pool.ts";

/** Sync at this interval while writing, to keep the final sync and those of concurrent writers short. */
const syncIntervalBytes = 32 * 2 ** 20;

/** Error codes that a reader treats as "no such file". */
const missingCodes = new Set<string | undefined>(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EISDIR"]);
const fullCodes = new Set<string | undefined>(["ENOSPC", "EDQUOT", "EFBIG", "EROFS"]);

/** The code of a system error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined => (error as { code?: string } | null)?.code;

export const nullIfMissing = (error: unknown): null => {
  if (missingCodes.has(codeOf(error))) return null;
  throw storeProblem(error);
};

/** Converts a file system error to a Problem 503; returns any other error unchanged. */
export function storeProblem(error: unknown): unknown {
  if (error instanceof Problem || codeOf(error) === undefined) return error;
  return unavailable(
    fullCodes.has(codeOf(error)) ? "The store is full or read-only." : "The store failed with an I/O error.",
    error,
  );
}

export const withStoreErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw storeProblem(error);
  });

/**
 * Defers a rejection until the promise is awaited, so that background work is never an unhandled rejection.
 */
function deferErrors(work: Promise<void>): Promise<void> {
  const done = withStoreErrors(work);
  done.catch(() => {});
  return done;
}

/** Writes the source to a new file and resolves once it is durable. */
export async function writeFile(
  path: string,
  source: ByteStream,
  options: PutOptions,
): Promise<ContentDigest> {
  using memory = new PooledBlocks();
  return await writeBlocks(path, splitIntoBlocks(source, options, blockBytes, 2, memory));
}

/** Writes blocks to a new file. A block's memory may be reused by the one after the next. */
export async function writeBlocks(path: string, blocks: AsyncIterable<Uint8Array>): Promise<ContentDigest> {
  const handle = await withStoreErrors(openNew(path));
  using writer = new HashingWriter(handle);
  let synced = 0;
  let writing = Promise.resolve();
  let syncing: Promise<void> | null = null;
  const syncSoon = () => {
    synced = writer.size;
    const done = () => {
      syncing = null; // but for one that failed: that is waited for
    };
    syncing = deferErrors(handle.datasync().then(done));
  };
  try {
    for await (const block of blocks) {
      await writing;
      writing = deferErrors(writer.add(block));
      if (writer.size - synced >= syncIntervalBytes && !syncing) syncSoon();
    }
    await writing;
    await syncing;
    await withStoreErrors(handle.sync());
    return { size: writer.size, sha256: await writer.end() };
  } finally {
    await Promise.allSettled([writing, syncing]);
    await handle.close();
  }
}

/** Creates the folder only if the open fails: it usually exists. */
function openNew(path: string): Promise<FileHandle> {
  const create = () => open(path, "wx", 0o600);
  return create().catch(async (error) => {
    if (codeOf(error) !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return create();
  });
}

/** Removes empty folders from `from` up to, not including, `upTo`. */
export async function removeEmptyFolders(from: string, upTo: string): Promise<void> {
  for (let folder = from; folder !== upTo; folder = dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false, // not empty, or already removed
    );
    if (!removed) return;
  }
}

/** Whether no part of the path is a symbolic link. */
export const hasNoSymlink = async (path: string): Promise<boolean> =>
  (await realpath(path).catch(nullIfMissing)) === path;

/** The file at a path; null if there is none, or if it is a symlink or below one. */
export async function statFile(path: string): Promise<Stats | null> {
  if (!(await hasNoSymlink(path))) return null;
  const stats = await lstat(path).catch(nullIfMissing);
  return stats?.isFile() ? stats : null;
}

/** ctime is the object's age: linking the complete file to its key updates it. */
export const infoOf = (stats: Stats): ObjectInfo => ({ size: stats.size, modifiedAt: stats.ctime });

/** Lists the objects under `prefix` after the key `after`, in byte order of the keys. */
export async function* listFiles(
  root: string,
  prefix: string,
  after: Buffer,
): AsyncGenerator<ObjectInfo & { key: string }> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true }).catch(nullIfMissing);
  const named = (entries ?? []).map((entry: Dirent) => {
    const path = `${prefix}${entry.name}${entry.isDirectory() ? "/" : ""}`;
    return { entry, path, bytes: Buffer.from(path) };
  });
  for (const { entry, path, bytes } of named.sort((a, b) => Buffer.compare(a.bytes, b.bytes))) {
    const isBefore = Buffer.compare(bytes, after) <= 0;
    if (entry.isDirectory()) {
      if (isPrefix(path) && (!isBefore || after.subarray(0, bytes.length).equals(bytes)))
        yield* listFiles(root, path, after);
    } else if (entry.isFile() && !isBefore && isListed(path)) {
      const stats = await lstat(join(root, path)).catch(nullIfMissing);
      if (stats) yield { key: path, ...infoOf(stats) };
    }
  }
}
