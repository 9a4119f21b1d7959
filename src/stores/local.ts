/** Bytes in a folder of this machine. */
import { lstat, mkdir, readdir, realpath, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ulid } from "ulid";
import { unavailable } from "../problem.ts";
import {
  codeOf,
  fault,
  fileAt,
  infoOf,
  isReal,
  onDisk,
  orMissing,
  removeEmpty,
  walk,
  writeBlocks,
} from "./disk.ts";
import { carryOut, hashBlock, hereBytesMax, Memory } from "./disk-worker-pool.ts";
import { requireKey, requirePrefix } from "./keys.ts";
import { hashSource } from "./objects.ts";
import { SeenFiles } from "./open-file-cache.ts";
import type { PutOptions, Source, Store, Written } from "./store.ts";
import { blockBytes, blocks } from "./upload-stream.ts";

/** Files on their way in. On the same volume as where they go, and no key can name it. */
const temporary = "_tmp";

/**
 * An emptied folder may be removed between making it and using it, by somebody who gets on meanwhile. Mostly
 * it is missing then; where that happens while it is made, the system says that something of its name is
 * there.
 */
const attempts = 20;

export function localStore(options: { root: string }): Store {
  /** Temporary files of this process: slow is not dead. */
  const live = new Set<string>();
  const seen = new SeenFiles();
  const folder = rootFolder(resolve(options.root));

  /**
   * Gives a whole file its name; a name is given once. Bytes are written into the file first. Null where the
   * file is gone.
   */
  async function keep(
    file: string,
    key: string,
    whole: Written | Uint8Array,
  ): Promise<Written | "taken" | null> {
    const root = await folder();
    const path = join(root, key);
    const place = { folder: dirname(path), upTo: root };
    const written = async (sha256?: string) =>
      whole instanceof Uint8Array
        ? { size: whole.length, sha256: sha256 ?? (await hashBlock(whole)) }
        : whole;
    let outcome: "taken" | null = null;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const bytes = whole instanceof Uint8Array && attempt === 0 ? { bytes: whole } : {};
      try {
        return await written(await carryOut({ file, ...bytes, path, ...place }));
      } catch (error) {
        const code = codeOf(error);
        if (code === "ELOOP") throw unavailable("A folder of the store is a symbolic link.", error);
        if (code !== "ENOENT" && code !== "EEXIST" && code !== "ENOTDIR") throw error;
        outcome = code === "ENOENT" ? null : "taken";
        const there = outcome && (await fileAt(path));
        if (!there) continue;
        const own = await written();
        if (there.size !== own.size) return "taken";
        if ((await hashSource(Bun.file(path).stream())).sha256 !== own.sha256) return "taken";
        await carryOut(place);
        return own;
      }
    }
    return outcome;
  }

  /** What is little is kept in one go, all else is written while it comes. */
  async function take(
    file: string,
    key: string,
    source: Source,
    options: PutOptions,
  ): Promise<Written | "taken" | null> {
    using memory = new Memory();
    const pieces = blocks(source, options, blockBytes, 2, memory);
    try {
      const { value: first = new Uint8Array() } = await pieces.next();
      const isLittle = first.length <= hereBytesMax;
      return await onDisk(
        keep(file, key, isLittle ? memory.shared(first) : await writeBlocks(file, followed(first, pieces))),
      );
    } finally {
      await pieces.return(undefined);
    }
  }

  const store: Store = {
    address: null,
    signedPut: async () => null,
    async put(key, source, options) {
      requireKey(key);
      const name = ulid();
      const file = join(await folder(), temporary, name);
      live.add(name);
      try {
        const kept = await take(file, key, source, options);
        if (!kept) throw unavailable("Another process is changing the store's folder.");
        return kept;
      } finally {
        await unlink(file).catch(() => {}); // what stays is swept
        live.delete(name);
      }
    },
    async copy(from, to, { known }) {
      requireKey(to);
      const path = join(await folder(), requireKey(from));
      if (!(await fileAt(path))) return null;
      const written = known ?? (await onDisk(hashSource(Bun.file(path).stream())));
      return onDisk(keep(path, to, written));
    },
    async get(key, range) {
      const path = join(await folder(), requireKey(key));
      const size = await seen.sizeOf(path);
      if (size === null) return null;
      const { start = 0, end = size } = range ?? {};
      const file = Bun.file(path).slice(start, Math.max(start, Math.min(end, size)));
      return {
        ...{ size, file },
        get body() {
          return file.stream();
        },
      };
    },
    async stat(key) {
      const stats = await fileAt(join(await folder(), requireKey(key)));
      return stats && infoOf(stats);
    },
    async delete(key) {
      const root = await folder();
      const path = join(root, requireKey(key));
      if (!(await fileAt(path))) return;
      await unlink(path).catch(orMissing);
      seen.forget(path);
      await removeEmpty(dirname(path), root);
    },
    async *list(prefix, after = "") {
      const root = await folder();
      if (await isReal(join(root, requirePrefix(prefix)).replace(/\/$/, "")))
        yield* walk(root, prefix, Buffer.from(after));
    },
    async leftovers(before) {
      const place = join(await folder(), temporary);
      const left: string[] = [];
      for (const name of (await readdir(place).catch(orMissing)) ?? []) {
        const stats = await lstat(join(place, name)).catch(orMissing);
        if (stats && stats.ctime < before && !live.has(name)) left.push(join(temporary, name));
      }
      return left;
    },
    async sweep(before) {
      const left = await store.leftovers(before);
      for (const path of left) await unlink(join(await folder(), path)).catch(orMissing);
      return left.length;
    },
  };
  return store;
}

async function* followed<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** The folder by its real name, made where it is missing. A disk that is away now may be there later. */
function rootFolder(path: string): () => Promise<string> {
  let real: Promise<string> | undefined;
  const prepare = async () => {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    if (made) await carryOut({ folder: path, upTo: dirname(made) });
    return realpath(path);
  };
  return () => {
    real ??= prepare().catch((error) => {
      real = undefined;
      throw fault(error);
    });
    return real;
  };
}
