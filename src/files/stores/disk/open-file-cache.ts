/**
 * Caches the sizes of recently read files. Looking a file up and checking its path for symbolic links takes
 * longer than reading a part of it. Objects never change, so a stale entry can only be one that was deleted.
 */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { Cache } from "../../../core/lib/cache.ts";
import { nullIfMissing, statFile } from "./files.ts";

const sizes = { max: 1_000, maxAgeMs: 1_000 };

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

  /** Records the size of a file that this process has just stored. */
  set(path: string, size: number): void {
    this.#sizes.set(path, size);
  }

  delete(path: string): void {
    this.#sizes.delete(path);
  }
}
