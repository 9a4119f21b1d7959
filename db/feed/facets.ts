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

type FacetName = (typeof facetFilters)[number];
type FacetEvent = Pick<EventRow, "ts" | FacetName>;

/** Adds events to the posting lists, in the transaction that appends or imports them. */
export async function indexInFacets(session: Session, events: FacetEvent[]): Promise<void> {
  if (events.length > 0) await insertPostings(session)(await postingsOf(session, events));
}

/** Adds those events after one id, up to and including another, that the posting lists lack. */
export async function backfillFacets(session: Session, after: number, last: number): Promise<void> {
  const { db, t } = session;
  const { id, ts } = t.events;
  for (let from = after; from < last; ) {
    const missing = await db
      .select({ id, ts, ...pickFacets(t.events) })
      .from(t.events)
      .where(and(gt(id, from), lte(id, last)))
      .orderBy(asc(id))
      .limit(backfillBatchSize);
    await insertMissing(session)(await postingsOf(session, missing));
    from = missing.at(-1)?.id ?? last;
  }
}

/** Events that are read and indexed at a time: bounds the memory of a backfill. */
const backfillBatchSize = 5_000;

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

/** The id of an event's facet, if this process knows it. */
export const knownFacetId = (session: Session, event: Partial<FacetEvent>): number | undefined =>
  session.facetIds.get(keyOf(event));

/** Deletes all facets and their posting lists. */
export async function clearFacets(session: Session): Promise<void> {
  for (const table of ["facet_events", "facets"])
    await allRows(session, sql`delete from ${sql.identifier(table)}`);
}

const pickFacets = <T extends Record<FacetName, unknown>>(from: T) =>
  Object.fromEntries(facetFilters.map((name) => [name, from[name]])) as Pick<T, FacetName>;

/** No value contains a line break, so keys are unambiguous. */
const keyOf = (event: Partial<FacetEvent>): string =>
  facetFilters.map((name) => event[name] ?? "").join("\n");

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
const insertMissing = preparedStatement(({ db, dialect, t: { facet_events } }) =>
  dialect.inserter(db, facet_events, "on conflict do nothing"),
);
