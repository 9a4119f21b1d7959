/**
 * Rows that appends leave for later: the term index of events, and the daily sums of usage. They are derived
 * for some hundred events at a time, which an append with few of them could not afford (`bun run bench
 * append`). `feed_head.derived` is the id of the last event that they include. It moves in the transaction
 * that writes them, so a process that is killed leaves nothing half done. Reads of these rows catch up first
 * (see catch-up.ts), so that they see every event that was appended before they began.
 */
import { and, asc, gt, lte, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import { readEvent } from "../../src/feed/render-event.ts";
import type { EventRow } from "../../src/feed/schema.ts";
import type { Session } from "../engine/session.ts";
import { isSearchable } from "../memory/recall/searchable-events.ts";
import { documentOf, indexRows } from "../memory/recall/term-index.ts";
import { pipeline, preparedStatement } from "../query/statements.ts";
import { type Head, readFeedHead, saveDerived } from "./head.ts";
import { recordUsage, type UsageEvent } from "./usage/sums.ts";

/** The append that leaves this many events to be derived catches up: that takes about 15 ms on SQLite. */
const pendingMax = 1_000;
/** Events that are read at a time: bounds the memory. */
const eventsPerStep = 2_000;

type DerivedEvent = UsageEvent & Pick<EventRow, "id" | "summary">;

/**
 * Called by every append, in its transaction, after its statements that insert the events. A large batch is
 * sent to Postgres first, which inserts it while its terms and sums are made here (`bun run bench import`).
 * @param head of the feed before the append
 */
export async function deriveAppended(session: Session, head: Head, added: EventRow[]): Promise<void> {
  const last = head.id + added.length;
  if (head.derived === head.id && added.length >= pendingMax) {
    await new Promise(setImmediate);
    return derive(session, added, last);
  }
  for (const event of added) session.pendingEvents.set(event.id, event);
  if (last - head.derived >= pendingMax) await deriveStored(session, head.derived, last);
}

/** Derives the rows of all events that they lack; runs in a transaction that holds the write lock. */
export async function catchUp(session: Session): Promise<void> {
  const { derived, id } = await readFeedHead(session);
  await deriveStored(session, derived, id);
}

/** Derives the rows of the events after one id, up to and including another. */
async function deriveStored(session: Session, after: number, last: number): Promise<void> {
  for (let from = after; from < last; ) {
    const rows =
      ownEvents(session, from, last) ??
      (await selectRange(session)({ after: from, last, limit: eventsPerStep })).map(readEvent);
    from = rows.at(-1)?.id ?? last;
    await derive(session, rows, from);
  }
}

/** The events that this process appended itself, which it need not read; null when one is another's. */
function ownEvents({ pendingEvents }: Session, after: number, last: number): DerivedEvent[] | null {
  const events: DerivedEvent[] = [];
  for (let id = after + 1; id <= last; id++) {
    const event = pendingEvents.get(id);
    if (!event) return null;
    events.push(event);
  }
  pendingEvents.clear();
  return events;
}

/** @param last id of the last event that the rows include then */
async function derive(session: Session, events: readonly DerivedEvent[], last: number): Promise<void> {
  await pipeline([
    indexRows(session, "event", events.filter(isSearchable).map(documentOf.event)),
    recordUsage(session, events),
    saveDerived(session, last),
  ]);
}

const selectRange = preparedStatement(({ db, dialect, t: { events } }) => {
  const { ts, wire } = events;
  const query = db
    .select({ ts, wire })
    .from(events)
    .where(and(gt(events.id, sql.placeholder("after")), lte(events.id, sql.placeholder("last"))))
    .orderBy(asc(events.id))
    .limit(sql.placeholder("limit"));
  return dialect.reader<{ ts: Micros; wire: string }>(db, query.prepare());
});
