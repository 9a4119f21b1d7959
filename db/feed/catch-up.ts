/**
 * Rows that appends leave for later: the term index of events, and the daily sums of usage. They are derived
 * for some hundred events at a time, which an append with few of them could not afford (`bun run bench
 * append`). `feed_head.derived` is the id of the last event that they include. It moves in the transaction
 * that writes them, so a process that is killed leaves nothing half done. Reads of these rows catch up first,
 * so that they see every event that was appended before they began.
 */
import { and, asc, gt, lte, sql } from "drizzle-orm";
import type { EventRow } from "../../src/feed/schema.ts";
import { searchableEventKinds } from "../../src/memory/schema.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { documentOf, indexRows, largestKind } from "../recall/term-index.ts";
import { recordUsage, type UsageEvent, usageEventFields } from "../usage/sums.ts";
import { type Head, readFeedHead, saveDerived } from "./head.ts";

/** An append of this many events derives their rows itself: there is little to save by waiting for more. */
const directMin = 100;
/** The append that leaves this many events to be derived catches up: that takes about 8 ms on SQLite. */
const pendingMax = 500;
/** Events that are read at a time: bounds the memory. */
const eventsPerStep = 2_000;

type DerivedEvent = UsageEvent & Pick<EventRow, "id" | "summary">;

/**
 * Called by every append, in its transaction.
 * @param head of the feed before the append
 */
export async function deriveAppended(session: Session, head: Head, added: EventRow[]): Promise<void> {
  const last = head.id + added.length;
  if (added.length >= directMin) {
    if (head.derived < head.id) await deriveStored(session, head.derived, head.id);
    await derive(session, added, last);
  } else if (last - head.derived >= pendingMax) await deriveStored(session, head.derived, last);
}

/** Derives the rows of all events that they lack; runs in a transaction that holds the write lock. */
export async function catchUp(session: Session): Promise<void> {
  const { id, derived } = await readFeedHead(session);
  await deriveStored(session, derived, id);
}

/** Derives the rows of the events after one id, up to and including another. */
async function deriveStored(session: Session, after: number, last: number): Promise<void> {
  for (let from = after; from < last; ) {
    const rows = await selectRange(session)({ after: from, last, limit: eventsPerStep });
    from = rows.at(-1)?.id ?? last;
    await derive(session, rows, from);
  }
}

/** @param last id of the last event that the rows include then */
async function derive(session: Session, events: readonly DerivedEvent[], last: number): Promise<void> {
  const searchable = events.filter(({ kind }) => searchableEventKinds.has(kind));
  await pipeline([
    indexRows(session, "event", searchable.map(documentOf.event)),
    recordUsage(session, events),
    saveDerived(session, last),
  ]);
}

const selectRange = preparedStatement(({ db, dialect, t: { events } }) => {
  const columns = Object.fromEntries(
    (["id", "summary", ...usageEventFields] as const).map((name) => [name, events[name]]),
  );
  const query = db
    .select(columns)
    .from(events)
    .where(and(gt(events.id, sql.placeholder("after")), lte(events.id, sql.placeholder("last"))))
    .orderBy(asc(events.id))
    .limit(sql.placeholder("limit"));
  return dialect.reader<DerivedEvent>(db, query.prepare());
});

/** The reads and writes that need those rows. */
export const derivedReads = [
  ...["search", "countMatches", "textLanguages", "findSimilarWords"],
  ...["usage", "groupUsage", "dailyCosts", "summarizeUsage"],
] as const;

/** Makes those of the methods that need derived rows call `cover` first. */
export function afterCatchUp<T extends object>(methods: T, cover: () => Promise<void>): T {
  const covered = { ...methods } as Record<string, unknown>;
  for (const name of derivedReads) {
    const method = covered[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
    if (method)
      covered[name] = async (...args: unknown[]) => {
        // Of the kinds that a search may be of, its second argument, only events are indexed later.
        if (name !== "search" || args[1] === largestKind) await cover();
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
