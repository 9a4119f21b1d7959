/**
 * Facets: posting lists for pages with several filters. An index on one filter scans all events that the
 * other filters reject, which can be years of a project without a failure. So a facet is each combination of
 * project, kind, actor and lane, and its posting list (`facet_events`) holds the timestamps of its events.
 * There are few facets, and a page is merged from the lists of those that match (see k-way-merge.ts).
 */
import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import { facetFilters } from "../../src/feed/filters.ts";
import type { EventRow } from "../../src/feed/schema.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { allRows } from "../query/sql.ts";
import type { Head } from "./head.ts";

type FacetName = (typeof facetFilters)[number];
type FacetEvent = Pick<EventRow, "ts" | FacetName>;

/**
 * Adds appended events to the posting lists, in the transaction of the append. An older version of the
 * program that still runs beside this one writes no posting lists: a gap since the last listed event is
 * backfilled.
 * @param head of the feed before these events
 */
export async function indexAppended(
  session: Session,
  { id: before, listed }: Head,
  added: FacetEvent[],
): Promise<void> {
  await insertPostings(session)(await postingsOf(session, added));
  if (listed !== before) await backfillFacets(session, listed, before);
}

/** Indexes the events after the last listed one, up to and including id `before`. */
async function backfillFacets(session: Session, listed: number, before: number): Promise<void> {
  const { db, t } = session;
  const { id, ts } = t.events;
  for (let from = listed; from < before; ) {
    const missing = await db
      .select({ id, ts, ...pickFacets(t.events) })
      .from(t.events)
      .where(and(gt(id, from), lte(id, before)))
      .orderBy(asc(id))
      .limit(backfillBatchSize);
    await indexInFacets(session, missing);
    from = missing.at(-1)?.id ?? before;
  }
}

/** Events that are read and indexed at a time: bounds the memory of a backfill. */
const backfillBatchSize = 5_000;

/** Indexes one batch of a log that is imported whole; call `markFacetsComplete` after the last batch. */
export async function indexInFacets(session: Session, events: FacetEvent[]): Promise<void> {
  if (events.length > 0) await insertPostings(session)(await postingsOf(session, events));
}

type Posting = [facet: number, ts: number];

/** The rows to insert, grouped by facet. */
async function postingsOf(session: Session, events: FacetEvent[]): Promise<Posting[]> {
  const postings: Posting[] = [];
  for (const [key, rows] of Map.groupBy(events, keyOf)) {
    const id = await session.facetIds.getOrLoad(key, () => facetId(session, rows[0] as FacetEvent));
    for (const { ts } of rows) postings.push([id, ts]);
  }
  return postings;
}

/** Records that all events of the log are in the posting lists. */
export async function markFacetsComplete(session: Session): Promise<void> {
  await allRows(session, sql`update feed_head set listed = id`);
}

/** Deletes all facets and their posting lists. */
export async function clearFacets(session: Session): Promise<void> {
  for (const table of ["facet_events", "facets"])
    await allRows(session, sql`delete from ${sql.identifier(table)}`);
}

const pickFacets = <T extends Record<FacetName, unknown>>(from: T) =>
  Object.fromEntries(facetFilters.map((name) => [name, from[name]])) as Pick<T, FacetName>;

/** No value contains a line break, so keys are unambiguous. */
const keyOf = (event: FacetEvent): string => facetFilters.map((name) => event[name] ?? "").join("\n");

async function facetId({ db, t: { facets } }: Session, event: FacetEvent): Promise<number> {
  const { project, lane, ...rest } = pickFacets(event);
  const facet = { ...rest, project: project ?? "", lane: lane ?? "" };
  const same = and(...facetFilters.map((field) => eq(facets[field], facet[field])));
  const [existing] = await db.select({ id: facets.id }).from(facets).where(same);
  const [row] = existing ? [existing] : await db.insert(facets).values(facet).returning({ id: facets.id });
  return row?.id as number;
}

const insertPostings = preparedStatement(({ db, dialect, t: { facet_events } }) =>
  dialect.inserter(db, facet_events),
);
