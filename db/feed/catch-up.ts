/** Makes reads of the rows that appends leave for later (see derived-rows.ts) see all events. */
import type { Session } from "../engine/session.ts";
import { catchUp } from "./derived-rows.ts";
import type { Head } from "./head.ts";
import { isIncomplete } from "./pending.ts";

/**
 * The reads of those rows whose statements tell whether events are pending. `search` and `findSimilarWords`
 * are not among them: `countMatches` comes first.
 */
const derivedReads = [
  ...["countMatches", "textLanguages"],
  ...["usage", "groupUsage", "dailyCosts", "costByDay"],
] as const;

/** Makes these methods call `cover` and read again when events were pending. */
export function afterCatchUp<T extends object>(methods: T, cover: () => Promise<void>): T {
  const covered = { ...methods } as Record<string, unknown>;
  for (const name of derivedReads) {
    const method = covered[name] as (...args: unknown[]) => Promise<object>;
    covered[name] = async (...args: unknown[]) => {
      const result = await method(...args);
      if (!isIncomplete(result)) return result;
      await cover();
      return method(...args);
    };
  }
  // safe because: each method is replaced by one of the same signature
  return covered as T;
}

/** An append that no read follows is caught up with after this time. */
const idleMs = 1_000;
/**
 * How long reads wait to catch up: then they answer without the newest events. Another process may hold the
 * write lock.
 */
const waitMs = 2_000;

interface Database {
  head(): Promise<Head>;
  transaction(work: (session: Session) => Promise<void>): Promise<void>;
}

/** Catches up for the readers of a process. */
export function openCatchUp({ head, transaction }: Database) {
  let running: { isDone: Promise<boolean>; isLate: Promise<boolean> } | undefined;
  let timer: Timer | undefined;

  function run(): NonNullable<typeof running> {
    const end = () => {
      running = undefined;
    };
    running ??= {
      isDone: transaction(catchUp)
        .finally(end)
        .then(() => true),
      isLate: sleep(waitMs),
    };
    return running;
  }

  /** Resolves when all events of now are included, or when they cannot be: the database may be read-only. */
  async function cover(): Promise<void> {
    const { id, derived } = await head();
    if (derived < id) await runUntil(id).catch(() => {});
  }

  /** Repeats, as a transaction that was running already may have begun before the last event. */
  async function runUntil(last: number): Promise<void> {
    do {
      const { isDone, isLate } = run();
      if (!(await Promise.race([isDone, isLate]))) return;
    } while ((await head()).derived < last);
  }

  return {
    cover,
    /** Covers events that were just appended, in a while. */
    schedule(): void {
      timer ??= setTimeout(() => {
        timer = undefined;
        cover().catch(() => {}); // the next read or append tries again
      }, idleMs).unref();
    },
    async close(): Promise<void> {
      clearTimeout(timer);
      await running?.isDone.catch(() => {});
    },
  };
}

const sleep = (ms: number): Promise<false> =>
  new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
