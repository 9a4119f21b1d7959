/**
 * Facets: posting lists for pages with several filters. An index on one filter scans all events that the
 * other filters reject, which can be years of a project without a failure. So a facet is each combination of
 * project, kind, actor, lane, team and person, and its posting list (`facet_events`) holds the timestamps of
 * its events. There are few facets, and a page is merged from the lists of those that match (see
 * k-way-merge.ts).
 */
import { sql } from "drizzle-orm";
import { facetFilters } from "../../src/feed/filters.ts";
import { readEvent } from "../../src/feed/render-event.ts";
import type { EventRow } from "../../src/feed/schema.ts";
import type { Session } from "../engine/session.ts";
import { allRows, preparedStatement } from "../query/statements.ts";
import type { StoredEvent } from "./runs/events-of.ts";

type FacetName = (typeof facetFilters)[number];
type FacetEvent = Pick<EventRow, "ts" | FacetName>;
type Facet = Record<FacetName, string>;
type FacetRow = Facet & { id: number | string };

/** Adds events to the posting lists, in the transaction that appends or imports them. */
export async function indexInFacets(session: Session, events: FacetEvent[]): Promise<void> {
  if (events.length > 0) await insertPostings(session)(await postingsOf(session, events));
}

/** Stored events: their text alone says whose work they are. */
export const indexStored = (session: Session, rows: readonly StoredEvent[]): Promise<void> =>
  indexInFacets(
    session,
    rows.map((row) => {
      const { team, person } = readEvent(row);
      return { ...row, team, person };
    }),
  );

type Posting = [facet: number, ts: number];

/** The rows to insert, grouped by facet. */
async function postingsOf(session: Session, events: FacetEvent[]): Promise<Posting[]> {
  const byKey = Map.groupBy(events, keyOf);
  const unknown = [...byKey].flatMap(([key, [first]]) =>
    first && session.facetIds.get(key) === undefined ? [first] : [],
  );
  // A batch may have more facets than the cache holds.
  const loaded = await loadFacetIds(session, unknown);
  return [...byKey].flatMap(([key, rows]) => {
    const id = loaded.get(key) ?? (session.facetIds.get(key) as number);
    return rows.map(({ ts }): Posting => [id, ts]);
  });
}

/** Deletes all facets and their posting lists. */
export async function clearFacets(session: Session): Promise<void> {
  for (const table of ["facet_events", "facets"])
    await allRows(session, sql`delete from ${sql.identifier(table)}`);
}

/** No value contains a line break, so keys are unambiguous. */
const keyOf = (event: Pick<FacetEvent, FacetName> | Facet): string =>
  facetFilters.map((name) => event[name] ?? "").join("\n");

/** Creates the facets that are missing, and reads the ids of the others: new ones are most of an import. */
async function loadFacetIds(session: Session, events: readonly FacetEvent[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  if (events.length === 0) return found;
  const { generation } = session.facetIds;
  const take = (rows: readonly FacetRow[]) => {
    for (const { id, ...facet } of rows) {
      const key = keyOf(facet);
      found.set(key, Number(id));
      session.facetIds.set(key, Number(id), generation);
    }
  };
  take(await addFacets(session)(events.map(facetOf)));
  const others = events.filter((event) => !found.has(keyOf(event)));
  if (others.length > 0) {
    const list = JSON.stringify(others.map((event) => Object.values(facetOf(event))));
    take(await readFacets(session)({ list, limit: facetsMax }));
  }
  return found;
}

/** More than an append has. */
const facetsMax = 1_000_000;

/** The columns of a facet, in the order of its names. */
const facetOf = (event: FacetEvent): Facet =>
  // safe because: it has each of the names
  Object.fromEntries(facetFilters.map((name) => [name, event[name] ?? ""])) as Facet;

const addFacets = preparedStatement(({ db, dialect, t: { facets } }) => dialect.adder<Facet>(db, facets));

/**
 * The first facet from each on, in the order of their unique index. Postgres would compare equal ones with
 * all facets of a kind, as it plans this before it knows how many there are.
 */
const readFacets = preparedStatement(({ db, dialect, t }) => {
  const columns = (of: string) => sql.raw(facetFilters.map((name) => `${of}.${name}`).join(", "));
  const one = sql`select f.id from facets as f where (${columns("f")}) >= (${columns("lists")})
    order by ${columns("f")} limit 1`;
  const values = facetFilters.map((name, at) => sql.raw(`value ->> ${at} as ${name}`));
  const lists = sql`(select ${sql.join(values, sql`, `)}
    from ${dialect.jsonElements(sql.placeholder("list"))}) as lists`;
  const query = db
    .select()
    .from(t.facets)
    .where(dialect.isIn(t.facets.id, dialect.forEachRow(lists, ["id"], one)))
    .limit(sql.placeholder("limit"));
  return dialect.reader<FacetRow>(db, query.prepare());
});

const insertPostings = preparedStatement(({ db, dialect, t: { facet_events } }) =>
  dialect.inserter(db, facet_events),
);
