/** Reads of files on the disk that are requested often: their sizes, and small ranges. */

import { closeSync, constants, openSync, readSync } from "node:fs";
import { access } from "node:fs/promises";
import { Cache } from "../../../core/lib/cache.ts";
import { unavailable } from "../../../core/problem.ts";
import type { ByteRange } from "../store.ts";
import { nullIfMissing, statFile } from "./files.ts";

/**
 * Small ranges are read at once: Bun also reads the body of a `Bun.file` synchronously, at more cost.
 * Longer ranges are sent by the kernel, without a copy, for less CPU (`bun run bench download`).
 */
export const smallRangeBytes = 64 * 2 ** 10;

const memory = Buffer.allocUnsafeSlow(smallRangeBytes);

/**
 * Reads the bytes from `start` up to `end` into memory that the next call reuses: a `Response` copies it.
 * @returns null if there is no such file
 * @throws {Problem} 503 if the file cannot be read, or not all of the range
 */
export function readSmallRange(path: string, start: number, end: number): Uint8Array<ArrayBuffer> | null {
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    return readOpen(fd, start, end);
  } catch (error) {
    return nullIfMissing(error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function readOpen(fd: number, start: number, end: number): Uint8Array<ArrayBuffer> {
  const length = end - start;
  if (readSync(fd, memory, 0, length, start) < length) throw unavailable("The file ends too early.");
  return memory.subarray(0, length);
}

const recentMs = 1_000;
const openMax = 64;

/**
 * Caches the sizes of recently read files, and keeps those open that small ranges are read of. Looking a file
 * up and checking its path for symbolic links takes longer than reading a part of it, and opening it takes a
 * seventh of a range of 64 KiB (`bun run bench download`). Objects never change, so a stale entry can only be
 * one that was deleted.
 */
export class OpenFileCache {
  readonly #sizes = new Cache<string, number>({ max: 1_000, maxAgeMs: recentMs });
  readonly #open = new Map<string, number>();
  #closing: Timer | undefined;

  /**
   * Returns the size in bytes, or null if there is no such file. Throws a Problem 503 if it is not readable.
   */
  async sizeOf(path: string): Promise<number | null> {
    const cached = this.#sizes.get(path);
    if (cached !== undefined) return cached;
    const stats = await statFile(path);
    if (!stats || !(await access(path, constants.R_OK).then(() => true, nullIfMissing))) return null;
    this.#sizes.set(path, stats.size);
    return stats.size;
  }

  /** As `readSmallRange`, of a file that was there within the last second and has this range; else null. */
  readRange(path: string, { start, end }: ByteRange): Uint8Array<ArrayBuffer> | null {
    if (end > (this.#sizes.get(path) ?? -1)) return null;
    try {
      return readOpen(this.#open.get(path) ?? this.#openFile(path), start, end);
    } catch (error) {
      return nullIfMissing(error);
    }
  }

  #openFile(path: string): number {
    if (this.#open.size === openMax) this.#closeAll();
    const fd = openSync(path, "r");
    this.#open.set(path, fd);
    this.#closing ??= setTimeout(() => this.#closeAll(), recentMs).unref();
    return fd;
  }

  #closeAll(): void {
    clearTimeout(this.#closing);
    this.#closing = undefined;
    for (const fd of this.#open.values()) closeSync(fd);
    this.#open.clear();
  }

  /** Records the size of a file that this process has just stored. */
  set(path: string, size: number): void {
    this.#sizes.set(path, size);
  }

  delete(path: string): void {
    this.#sizes.delete(path);
    if (this.#open.has(path)) this.#closeAll();
  }
}
