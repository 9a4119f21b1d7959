/** The feed: its reads, and `append`, the only way to add events. */

import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import { noProject } from "../../src/core/problem.ts";
import { keyNumber, shownKey } from "../../src/core/task-key.ts";
import type { AppendResult, FeedReads } from "../../src/feed/port.ts";
import { costSourceOf, renderEvent } from "../../src/feed/render-event.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { type EventRow, eventFields } from "../../src/feed/schema.ts";
import { dropRewritten, type Session } from "../engine/session.ts";
import { elements, pipeline, preparedStatement } from "../query/statements.ts";
import { recordSpending } from "./budgets/record.ts";
import { recordActivity } from "./counters.ts";
import { storedKey } from "./dedupe-keys.ts";
import { deriveAppended } from "./derived-rows.ts";
import { indexInFacets } from "./facets.ts";
import { type Head, moveFeedHead, readFeedHead } from "./head.ts";
import { preparedPages } from "./pages.ts";
import { addPartitions, eventKeys } from "./partitions.ts";
import { deriveAround, derivePipelines } from "./runs/derive.ts";
import { runEventOf, type StoredEvent } from "./runs/events-of.ts";
import { cacheRuns, continuedKeys, readRunsOf } from "./runs/known-runs.ts";
import { recordRuns } from "./runs/record.ts";
import { recordPullRequestIssues } from "./tasks/pull-request-issues.ts";
import { markPullRequests } from "./tasks/stale-tasks.ts";
import { assignTimestamps } from "./timestamps.ts";

export function feedReads(session: Session) {
  const { db, t } = session;
  return {
    ...preparedPages(session),
    head: async () => (await readFeedHead(session)).ts,
    async eventTime(id) {
      const [row] = await db
        .select({ ts: sql`${t.events.ts}`.mapWith(t.events.ts) })
        .from(eventKeys(session))
        .where(eq(t.events.id, id));
      return row?.ts ?? null;
    },
  } satisfies Partial<FeedReads>;
}

/**
 * Appends batches in order, under the write lock that the transaction holds.
 * @param clock tells the current time of the machine, once the lock is held
 * @param alsoWrite further writes, sent in the same pipeline as the events
 * @returns for each batch the events added and the number of duplicates left out
 */
export async function append(
  session: Session,
  batches: Appendable[][],
  clock: () => Micros,
  alsoWrite: (results: AppendResult[]) => Promise<unknown> = async () => {},
): Promise<AppendResult[]> {
  const sent = batches.flat();
  // Where another process appended between the last two, it will have again: then one trip reads all.
  const cache = session.runs.isShared ? undefined : session.runs;
  const [fresh, head, found] = await pipeline([
    withoutDuplicates(session, sent),
    readFeedHead(session),
    readRunsOf(session, sent, cache),
  ]);
  if (dropRewritten(session, head.budgets)) await requireProjects(session, fresh);
  const runs = session.runs.isCurrent(head) || !cache ? found : await readRunsOf(session, sent);
  session.appends.isCrowded = session.runs.isShared && batches.length > 1;
  const continued = await continuedKeys(session, runs, head.ts);
  const now = Math.max(clock(), head.ts + 1);
  const times = await assignTimestamps(session, fresh, now);
  const added = fresh.map((event, index) => toRow(event, head.id + 1 + index, times[index] as Micros));
  let next = 0;
  const results = batches.map((batch) => {
    const own = batch.flatMap((event) => (event === fresh[next] ? (added[next++] as EventRow) : []));
    return { added: own, duplicates: batch.length - own.length };
  });
  await addPartitions(session, times);
  const runEvents = added.map((row, index) => runEventOf(row, (fresh[index] as Appendable).payload));
  const [derivable, notices] = await pipeline([
    recordRuns(session, runs, runEvents, head.ts, continued),
    recordSpending(session, head.budgets, added, now),
    ...(added.length > 0 ? insertEvents(session, head, fresh, added) : []),
    alsoWrite(results),
    deriveAppended(session, head, added),
  ]);
  await deriveAround(
    session,
    derivable.past.flatMap(([, events]) => events),
  );
  await derivePipelines(session, derivable.begun);
  cacheRuns(session.runs, runs, derivable, { ...head, id: head.id + added.length });
  if (notices.length > 0) await append(session, [notices], clock);
  return results;
}

/** A project may have been removed since the caller found it. @throws 404 */
async function requireProjects(session: Session, events: Appendable[]): Promise<void> {
  const { projects } = session.t;
  const slugs = [...new Set(events.flatMap(({ project }) => project ?? []))];
  const rows = await session.db
    .select({ slug: projects.slug })
    .from(projects)
    .where(inArray(projects.slug, slugs));
  const missing = slugs.find((slug) => !rows.some((row) => row.slug === slug));
  if (missing === undefined) return;
  session.rewritten.version = unknownVersion; // the next append looks again
  throw noProject(missing);
}

const unknownVersion = -1;

function insertEvents(
  session: Session,
  head: Head,
  fresh: Appendable[],
  added: EventRow[],
): Promise<unknown>[] {
  const { columns, insert } = eventInserter(session);
  return [
    insert(added.map((row, index) => valuesOf(columns, row, fresh[index] as Appendable))),
    moveFeedHead(session, {
      id: head.id + added.length,
      ts: Math.max(head.ts, ...added.map(({ ts }) => ts)),
    }),
    recordActivity(session, added),
    recordPullRequestIssues(session, added),
    markPullRequests(session, added),
    indexInFacets(session, added),
  ];
}

const eventInserter = preparedStatement((session) => ({
  columns: eventColumns(session),
  insert: session.dialect.inserter(session.db, session.t.events),
}));

/** The columns of an event's row, in order. */
export const eventColumns = ({ t: { events } }: Pick<Session, "t">) =>
  // safe because: these are its columns
  Object.keys(getTableColumns(events)) as (keyof typeof events.$inferSelect)[];

/** The values of an event's row, in the order of the columns. */
export function valuesOf(
  columns: readonly (keyof StoredEvent)[],
  row: EventRow,
  event: Appendable,
  wire = renderEvent(row),
): (string | number | null)[] {
  const { payload, delivery_id = null } = event;
  return columns.map((name) => {
    if (name === "wire") return wire;
    if (name === "dedupe_key") return storedKey(event);
    if (name === "delivery_id") return delivery_id;
    if (name === "payload") return payload === undefined ? null : JSON.stringify(payload);
    return row[name];
  });
}

/** Events as they are stored: one that names a task by its key has the key's number as its issue. */
export const withTaskNumbers = (events: readonly Appendable[]): Appendable[] =>
  events.map((event) =>
    event.task == null ? event : { ...event, task: shownKey(event.task), issue: keyNumber(event.task) },
  );

const defaults: Partial<EventRow> = {
  tokens_in: 0,
  tokens_out: 0,
  cache_read: 0,
  cache_write: 0,
  cost_equiv: 0,
};
/** A row to be filled in. All rows have their fields in one order, which makes them fast to copy and to render. */
const emptyRow = Object.fromEntries(eventFields.map((field) => [field, defaults[field] ?? null]));
const inputFields = eventFields.filter((field) => field !== "id" && field !== "ts");

export function toRow(event: Appendable, id: number, ts: Micros): EventRow {
  const row: Record<string, unknown> = { ...emptyRow, id, ts };
  for (const field of inputFields) if (event[field] !== undefined) row[field] = event[field];
  row.cost_source = costSourceOf(row);
  return row as EventRow;
}

type Identified = Pick<Session["t"]["events"]["$inferSelect"], "dedupe_key" | "delivery_id">;

/**
 * A prepared read of the events with one of these values. One statement serves every batch: it takes them as
 * a JSON list. That takes four times as long for a single one (`bun run bench append`).
 */
const eventsWith = (name: "dedupe_key" | "delivery_id") => {
  const reader = (condition: (session: Session) => SQL) =>
    preparedStatement((session) => {
      const { db, dialect, t } = session;
      const { dedupe_key, delivery_id } = t.events;
      const query = db
        .select({ dedupe_key: sql`${dedupe_key}`, delivery_id: sql`${delivery_id}` })
        .from(eventKeys(session))
        .where(condition(session))
        .limit(sql.placeholder("limit"));
      return dialect.reader<Identified>(db, query.prepare());
    });
  const readOne = reader(({ t: { events } }) => eq(events[name], sql.placeholder("value")));
  const readMany = reader(({ dialect, t: { events } }) =>
    dialect.isIn(events[name], sql`select value from ${elements(dialect, sql.placeholder("list"))}`),
  );
  return async (session: Session, values: string[]): Promise<Identified[]> => {
    const [value] = values;
    if (value === undefined) return [];
    return values.length === 1
      ? readOne(session)({ value, limit: storedMax })
      : readMany(session)({ list: JSON.stringify(values), limit: storedMax });
  };
};
const eventsWithKey = eventsWith("dedupe_key");
const eventsOfDelivery = eventsWith("delivery_id");
/** More than an append has keys. */
const storedMax = 1_000_000;

/** Removes events whose idempotency key or delivery id is already in the feed, or earlier in the batch. */
async function withoutDuplicates(session: Session, batch: Appendable[]): Promise<Appendable[]> {
  const keys = batch.flatMap((event) => storedKey(event) ?? []);
  const earlierKeys = batch.flatMap((event) => event.earlier_key ?? []);
  const deliveries = batch.flatMap((event) => event.delivery_id ?? []);
  if (keys.length + deliveries.length === 0) return batch;
  const found = await pipeline([
    eventsWithKey(session, [...keys, ...earlierKeys]),
    eventsOfDelivery(session, deliveries),
  ]);
  const rows = found.flat();
  const areDistinct = new Set(keys).size === keys.length && new Set(deliveries).size === deliveries.length;
  if (rows.length === 0 && areDistinct) return batch;
  const usedKeys = new Set(rows.map((row) => row.dedupe_key));
  const usedDeliveries = new Set(rows.map((row) => row.delivery_id));
  return batch.filter((event) => {
    const key = storedKey(event);
    const { delivery_id: delivery, earlier_key: earlier } = event;
    const isUsed = (key && usedKeys.has(key)) || (earlier && usedKeys.has(earlier));
    if (isUsed || (delivery && usedDeliveries.has(delivery))) return false;
    if (key) usedKeys.add(key);
    if (delivery) usedDeliveries.add(delivery);
    return true;
  });
}
