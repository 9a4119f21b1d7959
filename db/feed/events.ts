/** The feed: what is asked of it, and the one way in. */
import { and, asc, eq, gte, or, type Placeholder, type SQLWrapper, sql } from "drizzle-orm";
import type { AppendResult, Reads } from "../../src/data.ts";
import { type EventRow, eventFields, renderEvent } from "../../src/feed/schema.ts";
import type { Micros } from "../../src/lib/time.ts";
import { searchableEventKinds } from "../../src/memory/schema.ts";
import type { Appendable } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { preparedStatement, preparedWrite } from "../query/prepared-statement.ts";
import { documentOf, indexRows } from "../recall/term-index.ts";
import { recordActivity } from "./counters.ts";
import { comparedKey, comparedKeys, heldKeys, storedKey } from "./dedupe-keys.ts";
import { listAppended } from "./facets.ts";
import { preparedPages } from "./pages.ts";

type FeedReads = Pick<Reads, "feed" | "feedPage" | "feedSince" | "head" | "eventTime">;

export function feedReads(session: Session): FeedReads {
  const { db, t } = session;
  const { select, page } = preparedPages(session);
  return {
    feed: (projects, query) => select(projects, query, "newest first"),
    feedPage: page,
    feedSince: (projects, query) => select(projects, query, "oldest first"),
    head: async () => (await headOf(session)).ts,
    async eventTime(id) {
      const [row] = await db.select({ ts: t.events.ts }).from(t.events).where(eq(t.events.id, id));
      return row?.ts ?? null;
    },
  };
}

// With a value, or it would be a statement that nothing travels along with.
const readHead = preparedStatement(({ db, t: { feed_head } }) =>
  db.select({ id: feed_head.id, ts: feed_head.ts }).from(feed_head).where(eq(feed_head.one, 1)).prepare(),
);

type Head = Pick<EventRow, "id" | "ts">;

/** A migration made its row, and nothing removes it. */
export async function headOf(session: Session): Promise<Head> {
  const [head] = await readHead(session).execute();
  return head as NonNullable<typeof head>;
}

const moveHead = preparedWrite(({ db, t: { feed_head } }) =>
  db
    .update(feed_head)
    .set({ id: sql`${sql.placeholder("id")}`, ts: sql`${sql.placeholder("ts")}` })
    .prepare(),
);

/**
 * Appends one batch after the other, under the lock that the transaction holds.
 * @param clock the time of the machine
 * @param along what else is to be written, asked along with it
 */
export async function append(
  session: Session,
  batches: Appendable[][],
  clock: Micros,
  along: (made: AppendResult[]) => Promise<unknown> = async () => {},
): Promise<AppendResult[]> {
  const [fresh, head] = await pipeline([withoutDuplicates(session, batches.flat()), headOf(session)]);
  const times = await takeTimes(session, fresh, Math.max(clock, head.ts + 1));
  const added = fresh.map((event, index) => toRow(event, head.id + 1 + index, times[index] as Micros));
  let next = 0;
  const made = batches.map((batch) => {
    const own = batch.flatMap((event) => (event === fresh[next] ? (added[next++] as EventRow) : []));
    return { added: own, duplicates: batch.length - own.length };
  });
  await pipeline([...(added.length > 0 ? write(session, head, fresh, added) : []), along(made)]);
  return made;
}

function write(session: Session, head: Head, fresh: Appendable[], added: EventRow[]): Promise<unknown>[] {
  const insert = insertEvent(session);
  const recalled = added.filter((row) => searchableEventKinds.has(row.kind));
  return [
    ...added.map((row, index) => {
      const event = fresh[index] as Appendable;
      const { delivery_id, payload } = event;
      return insert({
        ...row,
        dedupe_key: storedKey(event),
        delivery_id: delivery_id ?? null,
        payload: payload === undefined ? null : JSON.stringify(payload),
        wire: renderEvent(row),
      });
    }),
    moveHead(session)({ id: head.id + added.length, ts: Math.max(head.ts, ...added.map(({ ts }) => ts)) }),
    recordActivity(session, added),
    listAppended(session, head.id, added),
    indexRows(session, "event", recalled.map(documentOf.event)),
  ];
}

const bareEvent = {
  ...{ project: null, repo: null, issue: null, pr: null, lane: null, model: null, subscription: null },
  ...{
    tokens_in: 0,
    tokens_out: 0,
    cache_read: 0,
    cache_write: 0,
    cost_equiv: 0,
    duration_ms: null,
    url: null,
  },
};

const givenFields = eventFields.filter((field) => field !== "id" && field !== "ts");

function toRow(event: Appendable, id: number, ts: Micros): EventRow {
  const row: Record<string, unknown> = { ...bareEvent, id, ts };
  for (const field of givenFields) if (event[field] !== undefined) row[field] = event[field];
  return row as EventRow;
}

const insertEvent = preparedWrite(({ db, t: { events } }) => {
  const fields = [...eventFields, "dedupe_key", "delivery_id", "wire", "payload"];
  const values = Object.fromEntries(fields.map((field) => [field, sql.placeholder(field)]));
  return db
    .insert(events)
    .values(values as unknown as typeof events.$inferInsert)
    .prepare();
});

const knownAmong = preparedStatement(({ db, dialect, t: { events } }) => {
  // A list is one parameter whatever its length, so one statement serves every batch.
  const among = (column: SQLWrapper, list: Placeholder) =>
    dialect === "sqlite"
      ? sql`${column} in (select value from json_each(${list}))`
      : sql`${column} = any(array(select json_array_elements_text(${list}::text::json)))`;
  return db
    .select({ key: events.dedupe_key, project: events.project, delivery: events.delivery_id })
    .from(events)
    .where(
      or(
        among(events.dedupe_key, sql.placeholder("keys")),
        among(events.delivery_id, sql.placeholder("deliveries")),
      ),
    )
    .prepare();
});

/** Leaves out events whose key is in the feed already, or earlier in the same batch. */
async function withoutDuplicates(session: Session, batch: Appendable[]): Promise<Appendable[]> {
  const keys = batch.flatMap(heldKeys);
  const deliveries = batch.flatMap((event) => event.delivery_id ?? []);
  if (keys.length + deliveries.length === 0) return batch;
  const rows = await knownAmong(session).execute({
    keys: JSON.stringify(keys),
    deliveries: JSON.stringify(deliveries),
  });
  const compared = batch.map(comparedKeys);
  const knownKeys = new Set(
    rows.flatMap(({ key, project }) => (key ? [key, comparedKey(key, project)] : [])),
  );
  const knownDeliveries = new Set(rows.map((row) => row.delivery));
  return batch.filter(({ delivery_id: delivery }, index) => {
    const own = compared[index] as string[];
    if (own.some((key) => knownKeys.has(key)) || (delivery && knownDeliveries.has(delivery))) return false;
    for (const key of own) knownKeys.add(key);
    if (delivery) knownDeliveries.add(delivery);
    return true;
  });
}

/**
 * A microsecond of its own for each event: `next` and on for live ones, the first free one from its own time
 * for those of the past.
 */
async function takeTimes(session: Session, batch: Appendable[], next: Micros): Promise<Micros[]> {
  const taken = new Set<Micros>();
  const times: Micros[] = [];
  const freeFrom = new Map<Micros, Micros>();
  for (const { ts } of batch) {
    let time = ts === undefined ? next++ : await freeTime(session, freeFrom.get(ts) ?? ts);
    while (taken.has(time)) time = ts === undefined ? next++ : await freeTime(session, time + 1);
    if (ts !== undefined) freeFrom.set(ts, time + 1);
    taken.add(time);
    times.push(time);
  }
  return times;
}

const eventAt = preparedStatement(({ db, t: { events } }) =>
  db
    .select({ ts: events.ts })
    .from(events)
    .where(eq(events.ts, sql.placeholder("ts")))
    .prepare(),
);

/** The first microsecond from `wanted` on that no event has. */
async function freeTime(session: Session, wanted: Micros): Promise<Micros> {
  const { db, t } = session;
  const { events } = t;
  const [row] = await eventAt(session).execute({ ts: wanted });
  if (!row) return wanted;
  // The end of the run of neighbours that starts at `wanted`: the first event whose next microsecond is free.
  const [end] = await db
    .select({ ts: events.ts })
    .from(events)
    .where(
      and(
        gte(events.ts, wanted),
        sql`not exists (select 1 from ${events} as other where other.ts = ${events.ts} + 1)`,
      ),
    )
    .orderBy(asc(events.ts))
    .limit(1);
  return (end as { ts: Micros }).ts + 1; // at the least the one that is there
}
