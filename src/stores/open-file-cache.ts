/**
 * Files that were seen a moment ago. To find one, and to see that no link leads to it, takes longer than to
 * read a part of it; what is kept under a key never changes, so all that can have become of it since is that
 * it is gone.
 */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { nullIfMissing, statFile } from "./disk.ts";

const entryMs = 1_000;
const entriesMax = 1_000;

export class OpenFileCache {
  readonly #entries = new Map<string, { size: number; until: number }>();

  /** Null where there is no such file; one that may not be read is a Problem 503. */
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
