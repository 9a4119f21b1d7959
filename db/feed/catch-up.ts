/** Makes reads of the rows that appends leave for later (see derived-rows.ts) see all events. */
import type { Head } from "./head.ts";
import { isIncomplete } from "./pending.ts";

/**
 * The reads of those rows whose statements tell whether events are pending. `search` and `findSimilarWords`
 * are not among them: `countMatches` comes first.
 */
const derivedReads = [
  ...["countMatches", "textLanguages"],
  ...["usage", "groupUsage", "groupDays", "dailyUsage", "costByDay"],
  ...["expensiveRuns", "expensiveTasks", "countTasks", "taskKeys", "taskBoard"],
] as const;

/**
 * Makes these methods call `cover` and read again when events were pending.
 * @param isDue whether events are known to be pending: the first of the two reads would be in vain
 */
export function afterCatchUp<T extends object>(
  methods: T,
  cover: () => Promise<void>,
  isDue: () => boolean = () => false,
): T {
  const covered = { ...methods } as Record<string, unknown>;
  for (const name of derivedReads) {
    const method = covered[name] as (...args: unknown[]) => Promise<object>;
    covered[name] = async (...args: unknown[]) => {
      if (isDue()) await cover();
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

/** How many changed tasks one transaction derives for readers: writers wait for it, about 50 ms. */
export const tasksPerStep = 500;
/** How many behind appends, with pauses: agents that work change tasks faster than they are read. */
const tasksPerStepBehind = 100;
const pauseMs = 400;
/** How many transactions are one line of the log. */
const toldSteps = 20;

interface Database {
  head(): Promise<Head>;
  /** Whether this process appended the newest event. @param id of that event */
  hasAppended(id: number): boolean;
  /** Whether tasks changed since their rows were derived. */
  hasStaleTasks(): Promise<boolean>;
  /** Derives rows in a transaction, of so many tasks. @returns whether tasks are left */
  derive(tasks: number): Promise<boolean>;
}

/** Catches up for the readers of a process. */
export function openCatchUp({ head, hasAppended, hasStaleTasks, derive }: Database) {
  let running: { isDone: Promise<boolean>; isLate: Promise<boolean> } | undefined;
  let hasMore = false;
  let timer: Timer | undefined;
  /** The newest event when others were last left to cover it. */
  let leftAt = 0;
  /** Appends of this process, and how many of them reads need not cover. */
  let appends = 0;
  let covered = 0;

  function run(tasks = tasksPerStep): NonNullable<typeof running> {
    const end = () => {
      running = undefined;
    };
    running ??= {
      isDone: derive(tasks)
        .finally(end)
        .then((isMore) => {
          hasMore = isMore;
          return true;
        }),
      isLate: sleep(waitMs),
    };
    return running;
  }

  async function progress(): Promise<{ id: number; isPending: boolean }> {
    const { id, derived } = await head();
    return { id, isPending: derived < id || (await hasStaleTasks()) };
  }

  /** Resolves when all events of now are included, or when they cannot be: the database may be read-only. */
  async function cover(): Promise<void> {
    const before = appends;
    const { id, isPending } = await progress();
    if (isPending) await runUntil(id).catch(() => {});
    covered = Math.max(covered, before);
  }

  /** Repeats, as a transaction that was running already may have begun before the last event. */
  async function runUntil(last: number): Promise<void> {
    do {
      const { isDone, isLate } = run();
      if (!(await Promise.race([isDone, isLate]))) return;
    } while (hasMore || (await head()).derived < last);
  }

  function noteAppend(): void {
    appends++;
    schedule();
  }

  /** Covers events that were just appended, in a while: of many changed tasks some at a time, as writers wait. */
  function schedule(afterMs = idleMs): void {
    timer ??= setTimeout(async () => {
      timer = undefined;
      // The next read or append tries again.
      const isLeft = await coverOrLeave().catch(() => false);
      if (isLeft) schedule();
      else if (hasMore) schedule(pauseMs);
    }, afterMs).unref();
  }

  /**
   * Leaves the events to the process that appended the newest, which covers them in a while: each node would
   * derive the same tasks again (`bun run bench append-nodes`). If none came since the last look, that one
   * may have ended. @returns whether they are left
   */
  async function coverOrLeave(): Promise<boolean> {
    const before = appends;
    const { id, isPending } = await progress();
    const isLeft = isPending && id !== leftAt && !hasAppended(id);
    leftAt = id;
    if (isPending && !isLeft) await run(tasksPerStepBehind).isDone;
    if (!isLeft && !hasMore) covered = Math.max(covered, before);
    return isLeft;
  }

  return {
    cover,
    /** Whether this process appended events that no read has covered yet. */
    isDue: () => covered < appends,
    noteAppend,
    /** Derives all that a migration or a process that ended left. @param tell gets the number of tasks so far */
    async coverAll(tell: (tasks: number) => void): Promise<void> {
      if (!(await hasStaleTasks())) return;
      for (let steps = 1; await derive(tasksPerStep); steps++)
        if (steps % toldSteps === 0) tell(steps * tasksPerStep);
    },
    async close(): Promise<void> {
      clearTimeout(timer);
      await running?.isDone.catch(() => {});
    },
  };
}

const sleep = (ms: number): Promise<false> =>
  new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
