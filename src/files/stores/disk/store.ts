/** A store in a local folder. */
import { lstat, mkdir, readdir, realpath, statfs, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ulid } from "ulid";
import { unavailable } from "../../../core/problem.ts";
import { requireKey, requirePrefix } from "../keys.ts";
import { hashSource, joinThroughProcess } from "../objects.ts";
import type { ByteStream, ContentDigest, PutOptions, Store } from "../store.ts";
import { blockBytes, splitIntoBlocks } from "../upload-stream.ts";
import { OpenFileCache, readSmallRange, smallRangeBytes } from "./file-reads.ts";
import {
  codeOf,
  hasNoSymlink,
  infoOf,
  listFiles,
  nullIfMissing,
  removeEmptyFolders,
  statFile,
  storeProblem,
  withStoreErrors,
  writeBlocks,
} from "./files.ts";
import { hashBlock, inlineBytesMax, PooledBlocks, runDiskJob } from "./worker-pool.ts";

/** Folder of incomplete files: on the same volume, so they can be linked, and not a valid key. */
const temporaryFolder = "_tmp";

/**
 * Retries of creating a folder and linking into it. A concurrent delete may remove the empty folder in
 * between (ENOENT), or while it is created (EEXIST).
 */
const linkAttempts = 20;

/** A store in a folder of the local disk. */
export function localStore(options: { root: string }): Store {
  /** Temporary files this process is still writing, which cleanup must not delete. */
  const liveNames = new Set<string>();
  const fileSizes = new OpenFileCache();
  const folder = rootFolder(resolve(options.root));
  let knownRoot: string | null = null;

  /**
   * Links a complete file to its key, or a temporary one with `content` if that is bytes. Never replaces an
   * object. Null if the file is gone.
   */
  async function publish(
    file: string,
    key: string,
    content: ContentDigest | Uint8Array,
  ): Promise<ContentDigest | "exists" | null> {
    const root = await folder();
    const path = join(root, key);
    const target = { folder: dirname(path), upTo: root };
    const digestOf = async (sha256?: string) =>
      content instanceof Uint8Array
        ? { size: content.length, sha256: sha256 ?? (await hashBlock(content)) }
        : content;
    let outcome: "exists" | null = null;
    const bytes = content instanceof Uint8Array ? { bytes: content } : {};
    for (let attempt = 0; attempt < linkAttempts; attempt++) {
      try {
        const digest = await digestOf(await runDiskJob({ file, ...bytes, path, ...target }));
        fileSizes.set(path, digest.size);
        return digest;
      } catch (error) {
        const code = codeOf(error);
        if (code === "ELOOP") throw unavailable("A folder of the store is a symbolic link.", error);
        if (code !== "ENOENT" && code !== "EEXIST" && code !== "ENOTDIR") throw error;
        outcome = code === "ENOENT" ? null : "exists";
        const existing = outcome && (await statFile(path));
        if (!existing) continue;
        const digest = await digestOf();
        if (existing.size !== digest.size) return "exists";
        if ((await hashSource(Bun.file(path).stream())).sha256 !== digest.sha256) return "exists";
        await runDiskJob(target);
        return digest;
      }
    }
    return outcome;
  }

  /** Writes a source of one block as one disk job, and streams a larger one to a temporary file. */
  async function receive(
    file: string,
    key: string,
    source: ByteStream,
    options: PutOptions,
  ): Promise<ContentDigest | "exists" | null> {
    using memory = new PooledBlocks();
    const pieces = splitIntoBlocks(source, options, blockBytes, 2, memory);
    try {
      const { value: first = new Uint8Array() } = await pieces.next();
      const second = await pieces.next();
      if (second.done) {
        const content = first.length <= inlineBytesMax ? memory.copyToShared(first) : first;
        return await withStoreErrors(publish(file, key, content));
      }
      try {
        const blocks = prepend([first, second.value], pieces);
        return await withStoreErrors(publish(file, key, await writeBlocks(file, blocks)));
      } finally {
        await unlink(file).catch(() => {}); // cleanup deletes it later
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  const store: Store = {
    baseUrl: null,
    parts: null,
    signedPut: async () => null,
    async put(key, source, options) {
      requireKey(key);
      const name = ulid();
      const file = join(await folder(), temporaryFolder, name);
      liveNames.add(name);
      try {
        const outcome = await receive(file, key, source, options);
        if (!outcome) throw unavailable("Another process is changing the store's folder.");
        return outcome;
      } finally {
        liveNames.delete(name);
      }
    },
    async copy(from, to, { digest: knownDigest }) {
      requireKey(to);
      const path = join(await folder(), requireKey(from));
      if (!(await statFile(path))) return null;
      const content = knownDigest ?? (await withStoreErrors(hashSource(Bun.file(path).stream())));
      return withStoreErrors(publish(path, to, content));
    },
    join: (sources, to, options) => joinThroughProcess(store, sources, to, options),
    async get(key, range) {
      knownRoot = await folder();
      const path = join(knownRoot, requireKey(key));
      const size = await fileSizes.sizeOf(path);
      if (size === null) return null;
      const { start = 0, end: requestedEnd = size } = range ?? {};
      const end = Math.max(start, Math.min(requestedEnd, size));
      const openFile = () => Bun.file(path).slice(start, end);
      return {
        size,
        get file() {
          return openFile();
        },
        get body() {
          return openFile().stream();
        },
        ...(end - start <= smallRangeBytes && { readNow: () => readSmallRange(path, start, end) }),
      };
    },
    readNow(key, { start, end }) {
      if (knownRoot === null || end - start > smallRangeBytes) return undefined;
      const path = `${knownRoot}/${key}`; // not checked: no other path than that of a key has a size
      return fileSizes.hasRange(path, { start, end })
        ? (readSmallRange(path, start, end) ?? undefined)
        : undefined;
    },
    async stat(key) {
      const stats = await statFile(join(await folder(), requireKey(key)));
      return stats && infoOf(stats);
    },
    async delete(key) {
      const root = await folder();
      const path = join(root, requireKey(key));
      if (!(await statFile(path))) return;
      await unlink(path).catch(nullIfMissing);
      fileSizes.delete(path);
      await removeEmptyFolders(dirname(path), root);
    },
    async *list(prefix, after = "") {
      const root = await folder();
      if (await hasNoSymlink(join(root, requirePrefix(prefix)).replace(/\/$/, "")))
        yield* listFiles(root, prefix, Buffer.from(after));
    },
    async freeBytes() {
      const { bavail, bsize } = await withStoreErrors(statfs(await folder()));
      return bavail * bsize;
    },
    async listLeftovers(before) {
      const folderPath = join(await folder(), temporaryFolder);
      const leftovers: string[] = [];
      for (const name of (await readdir(folderPath).catch(nullIfMissing)) ?? []) {
        const stats = await lstat(join(folderPath, name)).catch(nullIfMissing);
        if (stats && stats.ctime < before && !liveNames.has(name))
          leftovers.push(join(temporaryFolder, name));
      }
      return leftovers;
    },
    async deleteLeftovers(before) {
      const leftovers = await store.listLeftovers(before);
      for (const path of leftovers) await unlink(join(await folder(), path)).catch(nullIfMissing);
      return leftovers.length;
    },
  };
  return store;
}

async function* prepend<T>(first: T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

/**
 * Returns a function that creates the root folder and resolves its real path. Failures are not cached: the
 * disk may be mounted later.
 */
function rootFolder(path: string): () => Promise<string> {
  let real: Promise<string> | undefined;
  const prepare = async () => {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    if (made) await runDiskJob({ folder: path, upTo: dirname(made) });
    return realpath(path);
  };
  return () => {
    real ??= prepare().catch((error) => {
      real = undefined;
      throw storeProblem(error);
    });
    return real;
  };
}
