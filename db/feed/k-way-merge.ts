/**
 * Pages of the feed by several facetFilters, or of several projects: merged from the ends of the lists that
 * fit.
 */
import { and, type SQL, sql } from "drizzle-orm";
import { type FeedFilter, facetFilters } from "../../src/feed/schema.ts";
import type { Micros } from "../../src/lib/time.ts";
import type { RenderedEvent } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { allRows, elements, literalCount } from "../query/sql.ts";
import { type Direction, earliest, latest, stretch } from "./index-range.ts";

/** What a page is asked for. `projects`: of these alone. */
export interface Asked extends FeedFilter {
  projects: readonly string[] | null;
  before?: Micros;
  after?: Micros;
  limit: number;
}

/**
 * So many lists are merged at once; where more of them fit, what is asked for is likely among the next
 * events.
 */
const listsMax = 64;
const nextEvents = 1_000;
/** To merge more takes Postgres two to three times as long as a look at five times what the page has. */
const severalLists = { sqlite: listsMax, postgres: 24 };
/** Of fewer lists all is read in one go. */
const worthwhile = 4;

/**
 * A page by several facetFilters, or of several projects. What it reads grows with the number of facets, and
 * not with that of events.
 */
export async function mergedPage(
  session: Session,
  asked: Asked,
  direction: Direction,
): Promise<RenderedEvent[]> {
  const lists = await listsOf(session, asked);
  if (lists.count === 0) return [];
  if (lists.count > severalLists[session.dialect]) {
    const next = lists.count > listsMax ? nextEvents : Math.min(5 * asked.limit, nextEvents);
    const found = await allRows<RenderedEvent>(session, amongNext(session, asked, direction, next));
    if (found.length === asked.limit) return found.map(toRendered);
  }
  return (await allRows<RenderedEvent>(session, merged(session, asked, direction, lists))).map(toRendered);
}

/** Postgres gives numbers of a statement that the builder did not make as texts. */
const toRendered = ({ id, ts, wire }: RenderedEvent): RenderedEvent => ({
  id: Number(id),
  ts: Number(ts),
  wire,
});

/**
 * Those among the next events that the first filter, or none, lets pass; it looks at no more of them than it
 * takes to fill the page.
 */
function amongNext(session: Session, asked: Asked, direction: Direction, count: number): SQL {
  const [first, ...others] = facetFilters.filter((field) => asked[field] !== undefined);
  const of = first && { column: sql.identifier(first), value: hidden(session.dialect, asked[first]) };
  const { where, order } = stretch(session, { of, ts: sql`ts`, ...timesOf(asked) }, direction);
  const fitting = amongProjects(session.dialect, asked);
  const next = (columns: SQL) =>
    sql`(select ${columns} from events where ${all([where])} order by ${order} limit ${literalCount(count)}) as next`;
  // SQLite keeps the order of both, as long as a limit keeps them apart.
  if (session.dialect === "sqlite" && others.length > 0)
    return sql`select id, events.ts, wire
      from (select ts from ${next(sql`ts`)} where ${all(others.map((field) => isListed(asked, field)))} limit ${literalCount(count)}) as those
      cross join events on events.ts = those.ts where ${all([fitting])} limit ${literalCount(asked.limit)}`;
  // Postgres sees that they are in order already; SQLite would put them in order once more, so all of them at
  // once.
  const again = session.dialect === "sqlite" ? sql`` : sql`order by ${order}`;
  return sql`select id, ts, wire from ${next(sql`*`)} where ${all([...equalities(session.dialect, asked, others), fitting])} ${again} limit ${literalCount(asked.limit)}`;
}

/**
 * Asked of the index of the field, where neighbours in time lie together: of a long log each event lies on a
 * page of its own.
 */
const isListed = (asked: Asked, field: (typeof facetFilters)[number]): SQL =>
  sql`exists (select 1 from events as listed indexed by ${sql.identifier(`events_${field}`)}
    where listed.${sql.identifier(field)} = ${asked[field]} and listed.ts = next.ts)`;

/**
 * The ends of the lists, merged: of no more lists than the page has events, those that go on furthest. Where
 * there are several, a few events of each show how far the page reaches at most, so that no list is read
 * beyond that.
 */
function ends(
  session: Session,
  asked: Asked,
  direction: Direction,
  { names, entries, key, isOfOne, count }: Lists,
): SQL {
  const limit = literalCount(asked.limit);
  const order = towards(direction);
  const times = timesOf(asked);
  const end = (most: SQL, within = times) => {
    const of = { column: sql`one.${key}`, value: sql`lists.name` };
    const inList = stretch(session, { of, isOfOne, ts: sql`one.ts`, ...within }, direction);
    return sql`select one.ts from ${entries} as one where ${inList.where} order by ${inList.order} limit ${most}`;
  };
  // SQLite knows no `lateral`; a list as JSON is read in half the time of looking up each of its events once
  // more.
  const ofEach = (most: SQL, within = times) =>
    session.dialect === "sqlite"
      ? sql`select entry.value as ts from lists cross join json_each((select json_group_array(ts) from (${end(most, within)}))) as entry`
      : sql`select entry.ts from lists join lateral (${end(most, within)}) as entry on true`;
  const furthest = sql`(select name from ${names} as lists order by (${end(sql`1`)}) ${order} nulls last limit ${limit})`;
  const few = literalCount(Math.ceil((2 * asked.limit) / Math.min(count, asked.limit)));
  return sql`with
    lists as materialized (select name from ${count > Math.min(asked.limit, listsMax) ? furthest : names} as chosen),
    reach as materialized (${ofEach(few)} order by ts ${order} limit 1 offset ${literalCount(asked.limit - 1)})
    ${ofEach(limit, count < worthwhile ? times : reaching(times, direction))} order by ts ${order} limit ${limit}`;
}

/** No further than what `reach` found, if it found a whole page. */
function reaching(times: Times, direction: Direction): Times {
  const reach = sql`(select ts from reach)`;
  return direction === "newest first"
    ? { ...times, after: sql`coalesce(${reach} - 1, ${times.after ?? earliest})` }
    : { ...times, before: sql`coalesce(${reach} + 1, ${times.before ?? latest})` };
}

function merged(session: Session, asked: Asked, direction: Direction, lists: Lists): SQL {
  const times = ends(session, asked, direction, lists);
  const among = session.dialect === "sqlite" ? sql`in (${times})` : sql`= any (array(${times}))`;
  return sql`select id, ts, wire from events where ts ${among} order by ts ${towards(direction)}`;
}

interface Lists {
  names: SQL;
  /** Of very many the count ends behind `listsMax`. */
  count: number;
  entries: SQL;
  key: SQL;
  /** Whether the entries have one index only. */
  isOfOne: boolean;
}

/** The lists that fit: facets, or, where nothing but the projects is asked for, the projects. */
async function listsOf(session: Session, asked: Asked): Promise<Lists> {
  const { projects } = asked;
  if (projects === null || facetFilters.some((field) => asked[field] !== undefined))
    return facetsOf(session, asked);
  const names = sql`(select value as name from ${elements(session.dialect, projects)})`;
  return {
    names,
    count: Math.min(projects.length, listsMax + 1),
    entries: sql`events`,
    key: sql`project`,
    isOfOne: false,
  };
}

async function facetsOf(session: Session, asked: Asked): Promise<Lists> {
  const { dialect } = session;
  const fitting = sql`select id as name from facets where ${all([...equalities(dialect, asked, facetFilters), amongProjects(dialect, asked)])}`;
  const found = await allRows<{ name: number }>(session, sql`${fitting} limit ${literalCount(listsMax + 1)}`);
  const value = sql.raw(dialect === "sqlite" ? "value" : "value::bigint");
  const few = elements(
    dialect,
    found.map(({ name }) => name),
  );
  const names = found.length > listsMax ? sql`(${fitting})` : sql`(select ${value} as name from ${few})`;
  return { names, count: found.length, entries: sql`facet_events`, key: sql`facet`, isOfOne: true };
}

const equalities = (
  dialect: Session["dialect"],
  asked: Asked,
  fields: readonly (typeof facetFilters)[number][],
): SQL[] =>
  fields
    .filter((field) => asked[field] !== undefined)
    .map((field) => sql`${sql.identifier(field)} = ${hidden(dialect, asked[field])}`);

/**
 * Postgres plans a statement anew as long as it sees the values and thinks that they matter, which takes as
 * long as to run it.
 */
const hidden = (dialect: Session["dialect"], value: string | undefined): SQL =>
  dialect === "sqlite" ? sql`${value}` : sql`(select ${value}::text)`;

type Times = Record<"before" | "after", SQL | undefined>;

const timesOf = ({ before, after }: Asked): Times => ({
  before: before === undefined ? undefined : sql`${before}`,
  after: after === undefined ? undefined : sql`${after}`,
});

const amongProjects = (dialect: Session["dialect"], { projects }: Asked): SQL | undefined =>
  projects === null
    ? undefined
    : dialect === "sqlite"
      ? sql`project in (select value from ${elements(dialect, projects)})`
      : sql`project = any (array(select value from ${elements(dialect, projects)}))`; // which an index finds

const all = (conditions: (SQL | undefined)[]): SQL => and(sql`true`, ...conditions) as SQL;

const towards = (direction: Direction): SQL => sql.raw(direction === "newest first" ? "desc" : "asc");
