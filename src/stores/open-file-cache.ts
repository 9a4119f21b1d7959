/**
 * Files that were seen a moment ago. To find one, and to see that no link leads to it, takes longer than to
 * read a part of it; what is kept under a key never changes, so all that can have become of it since is that
 * it is gone.
 */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { fileAt, orMissing } from "./disk.ts";

const seenMs = 1_000;
const seenMax = 1_000;

export class SeenFiles {
  readonly #seen = new Map<string, { size: number; until: number }>();

  /** Null where there is no such file; one that may not be read is a Problem 503. */
  async sizeOf(path: string): Promise<number | null> {
    const now = performance.now();
    const known = this.#seen.get(path);
    if (known && now < known.until) return known.size;
    const stats = await fileAt(path);
    this.#seen.delete(path);
    if (!stats || !(await access(path, constants.R_OK).then(() => true, orMissing))) return null;
    if (this.#seen.size >= seenMax) this.#seen.clear();
    this.#seen.set(path, { size: stats.size, until: now + seenMs });
    return stats.size;
  }

  forget(path: string): void {
    this.#seen.delete(path);
  }
}
