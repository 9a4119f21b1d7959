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
  const length = end - start;
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    if (readSync(fd, memory, 0, length, start) < length) throw unavailable("The file ends too early.");
    return memory.subarray(0, length);
  } catch (error) {
    return nullIfMissing(error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const sizes = { max: 1_000, maxAgeMs: 1_000 };

/**
 * Caches the sizes of recently read files. Looking a file up and checking its path for symbolic links takes
 * longer than reading a part of it. Objects never change, so a stale entry can only be one that was deleted.
 */
export class OpenFileCache {
  readonly #sizes = new Cache<string, number>(sizes);

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

  /** Whether the file was there within the last second, and has this range. */
  hasRange(path: string, { end }: ByteRange): boolean {
    return end <= (this.#sizes.get(path) ?? -1);
  }

  /** Records the size of a file that this process has just stored. */
  set(path: string, size: number): void {
    this.#sizes.set(path, size);
  }

  delete(path: string): void {
    this.#sizes.delete(path);
  }
}
