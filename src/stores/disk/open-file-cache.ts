/**
 * Caches the sizes of recently read files. Looking a file up and checking its path for symbolic links takes
 * longer than reading a part of it. Objects never change, so a stale entry can only be one that was deleted.
 */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { nullIfMissing, statFile } from "./files.ts";

const entryMs = 1_000;
const entriesMax = 1_000;

export class OpenFileCache {
  readonly #entries = new Map<string, { size: number; until: number }>();

  /**
   * Returns the size in bytes, or null if there is no such file. Throws a Problem 503 if it is not readable.
   */
  async sizeOf(path: string): Promise<number | null> {
    const now = performance.now();
    const cached = this.#entries.get(path);
    if (cached && now < cached.until) return cached.size;
    const stats = await statFile(path);
    this.#entries.delete(path);
    if (!stats || !(await access(path, constants.R_OK).then(() => true, nullIfMissing))) return null;
    if (this.#entries.size >= entriesMax) this.#entries.clear();
    this.#entries.set(path, { size: stats.size, until: now + entryMs });
    return stats.size;
  }

  delete(path: string): void {
    this.#entries.delete(path);
  }
}
