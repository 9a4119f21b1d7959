/**
 * Events by several filters at once. An index of one of them walks over everything that the others refuse,
 * which may be years of a project without one failure. So every event also stands in the list of its facet:
 * what its project, kind, actor and lane are together. There are few facets, and a page is merged from the
 * lists that fit.
 */
import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import { type EventRow, facetFilters } from "../../src/feed/schema.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { preparedStatement, preparedWrite } from "../query/prepared-statement.ts";
import { allRows } from "../query/sql.ts";

type FacetName = (typeof facetFilters)[number];
type Listed = Pick<EventRow, "ts" | FacetName>;

/** Beyond this many all are forgotten: who makes up an actor for every event must not fill the memory. */
const facetsMax = 50_000;

/**
 * Lists what was appended, in its transaction. A program of before that still runs beside this one lists
 * nothing, so what is missing behind the last one that is listed is made up for.
 */
export async function listAppended(session: Session, before: number, added: Listed[]): Promise<void> {
  const id = before + added.length;
  const rows = await entriesOf(session, added);
  const [moved] = await pipeline([
    moveListed(session).execute({ before, id }),
    addToLists(session)({ rows }),
  ]);
  if (moved.length === 0) await listMissing(session, before, id);
}

async function listMissing(session: Session, before: number, newest: number): Promise<void> {
  const { db, t } = session;
  const [last] = await db.select({ id: t.listed.id }).from(t.listed);
  const { id, ts } = t.events;
  for (let from = last?.id ?? 0; from < before; ) {
    const missing = await db
      .select({ id, ts, ...pickFacets(t.events) })
      .from(t.events)
      .where(and(gt(id, from), lte(id, before)))
      .orderBy(asc(id))
      .limit(missingAtOnce);
    await listInFacets(session, missing);
    from = missing.at(-1)?.id ?? before;
  }
  await db.update(t.listed).set({ id: newest });
}

const missingAtOnce = 5_000;

const moveListed = preparedStatement(({ db, t: { listed } }) =>
  db
    .update(listed)
    .set({ id: sql`${sql.placeholder("id")}` })
    .where(eq(listed.id, sql.placeholder("before")))
    .returning({ id: listed.id })
    .prepare(),
);

/** Of a log that is put in place whole, a part; `allListed` says when that was the last one. */
export async function listInFacets(session: Session, events: Listed[]): Promise<void> {
  if (events.length > 0) await addToLists(session)({ rows: await entriesOf(session, events) });
}

/** What is to be put into the lists, neighbours of a list together. */
async function entriesOf(session: Session, events: Listed[]): Promise<string> {
  const { facetIds: facets } = session;
  const byFacet = Map.groupBy(events, keyOf);
  if (facets.size + byFacet.size > facetsMax) facets.clear();
  for (const [key, [first]] of byFacet)
    if (!facets.has(key)) facets.set(key, await idOf(session, first as Listed));
  return JSON.stringify(
    [...byFacet].flatMap(([key, listed]) => listed.map(({ ts }) => [facets.get(key), ts])),
  );
}

export async function allListed(session: Session): Promise<void> {
  await allRows(session, sql`update listed set id = (select id from feed_head)`);
}

export async function clearFacets(session: Session): Promise<void> {
  for (const table of ["facet_events", "facets"])
    await allRows(session, sql`delete from ${sql.identifier(table)}`);
}

const pickFacets = <T extends Record<FacetName, unknown>>(from: T) =>
  Object.fromEntries(facetFilters.map((name) => [name, from[name]])) as Pick<T, FacetName>;

/** No value holds a line break. */
const keyOf = (event: Listed): string => facetFilters.map((name) => event[name] ?? "").join("\n");

async function idOf({ db, t: { facets } }: Session, event: Listed): Promise<number> {
  const { project, lane, ...rest } = pickFacets(event);
  const facet = { ...rest, project: project ?? "", lane: lane ?? "" };
  const same = and(...facetFilters.map((field) => eq(facets[field], facet[field])));
  const [known] = await db.select({ id: facets.id }).from(facets).where(same);
  const [row] = known ? [known] : await db.insert(facets).values(facet).returning({ id: facets.id });
  return row?.id as number;
}

const addToLists = preparedWrite(({ db, dialect, t: { facet_events } }) =>
  db
    .insert(facet_events)
    .select(
      dialect === "sqlite"
        ? sql`select value ->> 0, value ->> 1 from json_each(${sql.placeholder("rows")})`
        : sql`select (value ->> 0)::bigint, (value ->> 1)::bigint from json_array_elements(${sql.placeholder("rows")}::text::json)`,
    )
    .prepare(),
);
