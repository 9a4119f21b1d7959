/** The runs that the last appends of a process read or changed, so that the next one need not read them. */
import { boundedByCount, Cache } from "../../../src/core/lib/cache.ts";
import type { RunState } from "../../../src/feed/runs/fold.ts";

/** The columns in indexes of lists, apart from the cost, and the largest: most events of a run change none. */
export const listColumns = [
  "issue",
  "pr",
  "actor",
  "status",
  "started_at",
  "listed_at",
  "parent",
  "token",
  "files",
] as const;

/** A run, and the values of `listColumns` in its row; null when these are not known, or there is no row. */
export interface KnownRun {
  state: RunState;
  listed: Pick<RunState, (typeof listColumns)[number]> | null;
}

/** What changes in the head of the feed whenever runs change: an append moves `id`, a rebuild `budgets`. */
export interface Version {
  id: number;
  budgets: number;
}

/** Runs take some kilobytes each at most; keys without one, a tenth of that. */
const [runsMax, emptyMax] = [4_000, 40_000];

/** Runs by the keys of record.ts; null for a key that has none. Valid for one version (`bun run bench append`). */
export class RunCache {
  readonly #runs = new Cache<string, KnownRun>({ max: runsMax, bytesOf: boundedByCount });
  readonly #empty = new Cache<string, null>({ max: emptyMax });
  #version: Version | null = null;
  /** Whether another process wrote runs between the last two appends of this one. */
  isShared = false;

  get(key: string): KnownRun | null | undefined {
    return this.#runs.get(key) ?? this.#empty.get(key);
  }

  set(key: string, run: KnownRun | null): void {
    if (run === null) this.#empty.set(key, null);
    else {
      this.#runs.set(key, run);
      this.#empty.delete(key); // or it would be found again once the run is evicted
    }
  }

  clear(): void {
    this.#runs.clear();
    this.#empty.clear();
    this.#version = null;
  }

  /** Whether nothing else wrote runs since `moveTo`. If something did, all runs are dropped. */
  isCurrent({ id, budgets }: Version): boolean {
    const isCurrent = this.#version?.id === id && this.#version.budgets === budgets;
    this.isShared = !isCurrent && this.#version !== null;
    if (!isCurrent) this.clear();
    return isCurrent;
  }

  /** Whether this process appended the newest event, as far as it knows. @param id of that event */
  hasAppended(id: number): boolean {
    return this.#version?.id === id;
  }

  /** Declares the runs to be those of a version, after an append. */
  moveTo({ id, budgets }: Version): void {
    this.#version = { id, budgets };
  }
}
