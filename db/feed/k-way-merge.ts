/**
 * K-way merge: a feed page filtered by several facets, or by several values of one, is merged from sorted
 * lists of timestamps. A list is a facet's posting list (see facets.ts) or the events of one value.
 */
import { and, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import { columnFilters, type FeedFilter, facetFilters, ownerFilters } from "../../src/feed/filters.ts";
import type { RenderedEvent } from "../../src/feed/rows.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { type Direction, maxTimestamp, minTimestamp, sqlOrder } from "../dialect/index-range.ts";
import type { Session } from "../engine/session.ts";
import { allRows, elements, literalCount, preparedShapes } from "../query/statements.ts";
import { inYears, type Years } from "./partitions.ts";

/** The filters and bounds of a page. `projects` limits it to these projects; null means all, or `project`. */
export interface PageQuery extends Omit<FeedFilter, "project"> {
  project?: string;
  projects: readonly string[] | null;
  before?: Micros;
  after?: Micros;
  limit: number;
  /** Those of the partitions that are read. */
  years?: Years;
}

type FacetFilter = (typeof facetFilters)[number];
type ColumnFilter = (typeof columnFilters)[number];

/**
 * The most lists that one merge reads. If more match the filters, matching events are frequent, so a scan of
 * the next events likely fills the page. `bun run bench growth` measures these pages.
 */
const mergedListsMax = 64;
const facetsReadMax = mergedListsMax + 1;
/** The most events that the scan reads before it gives up. */
const scanMax = 1_000;
/** The scan reads this many times the page's limit while the lists could also be merged. */
const scanFactor = 5;
/**
 * With more lists than this the scan is tried first. On Postgres, merging more takes two to three times as
 * long as the scan (`bun run bench growth-postgres` measures these pages).
 */
const scanFirstAbove = { sqlite: mergedListsMax, postgres: 24 };
/** Fewer lists are read in one pass, without finding the cutoff first. */
const twoPassMin = 4;

/**
 * Reads a page filtered by several facets, or for several projects. Its cost grows with the number of
 * facets, not with the number of events.
 */
export async function mergedPage(
  session: Session,
  query: PageQuery,
  direction: Direction,
): Promise<RenderedEvent[]> {
  const lists = await findLists(session, query);
  if (lists.count === 0) return [];
  const canScan = ownerFilters.every((field) => query[field] === undefined);
  if (canScan && lists.count > scanFirstAbove[session.dialect.name]) {
    const length = lists.count > mergedListsMax ? scanMax : Math.min(scanFactor * query.limit, scanMax);
    const found = await allRows<RenderedEvent>(session, scanNext(session, query, direction, length));
    if (found.length === query.limit) return found.map(toRendered);
  }
  return (await allRows<RenderedEvent>(session, kWayMerge(session, query, direction, lists))).map(toRendered);
}

/** Postgres returns the bigints of a raw statement as strings. */
const toRendered = ({ id, ts, wire }: RenderedEvent): RenderedEvent => ({
  id: Number(id),
  ts: Number(ts),
  wire,
});

/**
 * Scans the next `count` events of the first filter, or of the whole log without one, and checks the other
 * filters on each. The scan stops as soon as the page is full.
 */
function scanNext(session: Session, query: PageQuery, direction: Direction, count: number): SQL {
  const given = columnFilters.filter((field) => query[field] !== undefined);
  const first = given.find((field) => !Array.isArray(query[field]));
  const others = given.filter((field) => field !== first);
  const key = first && {
    column: sql.identifier(first),
    value: session.dialect.opaque(query[first] as string),
  };
  const { where, order } = session.dialect.indexRange({ key, ts: sql`ts`, ...timeBounds(query) }, direction);
  const inProjects = projectCondition(session.dialect, query);
  const inRange = all([where, ...inYears(sql`ts`, query.years)]);
  const next = (columns: SQL) =>
    sql`(select ${columns} from events
      where ${inRange} order by ${order} limit ${literalCount(count)}) as next`;
  const conditions = all([...equalities(session.dialect, query, others), inProjects]);
  const limit = literalCount(query.limit);
  // Postgres recognizes that the rows are sorted already. SQLite keeps the order of the subquery, whose limit
  // prevents flattening; with an `order by` it would sort all of them again before it returns the first one.
  if (session.dialect.name === "postgres")
    return sql`select id, ts, wire from ${next(sql`*`)} where ${conditions} order by ${order} limit ${limit}`;
  if (others.length > 0) {
    const inOthers = all(others.map((field) => hasPosting(session.dialect, query, field)));
    return sql`select id, events.ts, wire
      from (select ts from ${next(sql`ts`)} where ${inOthers} limit ${literalCount(count)}) as those
      cross join events on events.ts = those.ts where ${all([inProjects])} limit ${limit}`;
  }
  return sql`select id, ts, wire from ${next(sql`*`)} where ${conditions} limit ${limit}`;
}

/**
 * Whether the next event has the value of the filter. It reads the index of the field, where events that are
 * neighbors in time share a page of the file; in the table of a long log each event is on a page of its own.
 */
const hasPosting = (dialect: Dialect, query: PageQuery, field: ColumnFilter): SQL =>
  sql`exists (select 1 from events as listed indexed by ${sql.identifier(`events_${field}`)}
    where ${hasValue(dialect, query, field, sql`listed.${sql.identifier(field)}`)} and listed.ts = next.ts)`;

/**
 * Merges the heads of the lists into the page's timestamps. A page of n events comes from at most n lists,
 * those whose first entry comes first. With several lists the first pass reads a few entries of each: they
 * bound how far the page can reach (`reach`), and the second pass reads no list beyond that cutoff.
 */
function mergedTimestamps(
  session: Session,
  query: PageQuery,
  direction: Direction,
  { names, entries, key, hasOneIndex, count }: SortedLists,
): SQL {
  const limit = literalCount(query.limit);
  const order = sqlOrder(direction);
  const times = timeBounds(query);
  const years = hasOneIndex ? [] : inYears(sql`one.ts`, query.years);
  const headOf = (length: SQL, within = times) => {
    const list = { column: sql`one.${key}`, value: sql`lists.name` };
    const inList = session.dialect.indexRange(
      { key: list, isOnlyIndex: hasOneIndex, ts: sql`one.ts`, ...within },
      direction,
    );
    return sql`select one.ts from ${entries} as one
      where ${all([inList.where, ...years])} order by ${inList.order} limit ${length}`;
  };
  const headOfEach = (length: SQL, within = times) =>
    session.dialect.forEachRow(sql`lists`, ["ts"], headOf(length, within));
  const firstLists = sql`(select name from ${names} as lists
    order by (${headOf(sql`1`)}) ${order} nulls last limit ${limit})`;
  const few = literalCount(Math.ceil((2 * query.limit) / Math.min(count, query.limit)));
  const chosen = count > Math.min(query.limit, mergedListsMax) ? firstLists : names;
  const last = literalCount(query.limit - 1);
  const within = count < twoPassMin ? times : boundedByCutoff(times, direction);
  return sql`with
    lists as materialized (select name from ${chosen} as chosen),
    reach as materialized (${headOfEach(few)} order by ts ${order} limit 1 offset ${last})
    ${headOfEach(limit, within)} order by ts ${order} limit ${limit}`;
}

/** Bounds the second pass by the cutoff in `reach`, if the first pass found a full page. */
function boundedByCutoff(times: TimeBounds, direction: Direction): TimeBounds {
  const reach = sql`(select ts from reach)`;
  return direction === "newest first"
    ? { ...times, after: sql`coalesce(${reach} - 1, ${times.after ?? minTimestamp})` }
    : { ...times, before: sql`coalesce(${reach} + 1, ${times.before ?? maxTimestamp})` };
}

function kWayMerge(session: Session, query: PageQuery, direction: Direction, lists: SortedLists): SQL {
  const times = mergedTimestamps(session, query, direction, lists);
  const conditions = all([session.dialect.isIn(sql`ts`, times), ...inYears(sql`ts`, query.years)]);
  return sql`select id, ts, wire from events where ${conditions} order by ts ${sqlOrder(direction)}`;
}

interface SortedLists {
  /** A subquery of the lists' keys, as `name`. */
  names: SQL;
  /** How many lists there are, counted up to `mergedListsMax + 1`. */
  count: number;
  /** The table of the entries, and its column that holds the key of the list. */
  entries: SQL;
  key: SQL;
  /** The table has no other index that Postgres could choose. */
  hasOneIndex: boolean;
}

/** Finds the lists to merge: the values of the only filter, each a range of its index, or matching facets. */
async function findLists(session: Session, query: PageQuery): Promise<SortedLists> {
  const only = onlyFilter(query);
  if (!only) return facetLists(session, query);
  const values = [...new Set(only.values)];
  return {
    names: sql`(select value as name from ${elements(session.dialect, values)})`,
    count: Math.min(values.length, mergedListsMax + 1),
    entries: sql`events`,
    key: sql`${sql.identifier(only.column)}`,
    hasOneIndex: false,
  };
}

/** The filter by a column, if there is no other, and its values; null for other filters. */
function onlyFilter(query: PageQuery): { column: ColumnFilter; values: readonly string[] } | null {
  const [field, ...more] = facetFilters.filter((name) => query[name] !== undefined);
  if (query.projects !== null)
    return field === undefined ? { column: "project", values: query.projects } : null;
  const column = columnFilters.find((name) => name === field);
  const values = column && query[column];
  return more.length === 0 && column && Array.isArray(values) ? { column, values } : null;
}

async function facetLists(session: Session, query: PageQuery): Promise<SortedLists> {
  const { dialect } = session;
  const { projects } = query;
  const given = facetFilters.filter((field) => query[field] !== undefined);
  const shape = given.map((field) => (Array.isArray(query[field]) ? `${field}[]` : field));
  const values = Object.fromEntries(
    given.map((field) => [field, Array.isArray(query[field]) ? JSON.stringify(query[field]) : query[field]]),
  );
  const found = await selectFacets(
    session,
    [...shape, ...(projects ? [inProjects] : [])].join(" "),
  )({ ...values, [inProjects]: JSON.stringify(projects), limit: facetsReadMax });
  const ids = elements(
    dialect,
    found.map(({ id }) => id),
  );
  const conditions = all([...equalities(dialect, query, facetFilters), projectCondition(dialect, query)]);
  const names =
    found.length > mergedListsMax
      ? sql`(select id as name from facets where ${conditions})`
      : sql`(select cast(value as bigint) as name from ${ids})`;
  return { names, count: found.length, entries: sql`facet_events`, key: sql`facet`, hasOneIndex: true };
}

const inProjects = "projects";
/** @param shape the names of the filters that are set; `[]` marks one with a list of values */
const selectFacets = preparedShapes(({ db, dialect, t: { facets } }, shape: string) => {
  const isAmong = (column: string, list: string) =>
    dialect.isIn(sql.identifier(column), sql`select value from ${elements(dialect, sql.placeholder(list))}`);
  const conditions = shape.split(" ").flatMap((part) => {
    if (part === inProjects) return isAmong("project", inProjects);
    const name = part.replace("[]", "");
    const isEqual =
      name === part
        ? sql`${sql.identifier(name)} = ${dialect.opaque(sql.placeholder(name))}`
        : isAmong(name, name);
    return isOwner(name) ? [isEqual, hasOwner(name)] : isEqual;
  });
  const query = db
    .select({ id: facets.id })
    .from(facets)
    .where(and(...conditions))
    .limit(sql.placeholder("limit"));
  return dialect.reader<{ id: number }>(db, query.prepare());
});

const equalities = (dialect: Dialect, query: PageQuery, fields: readonly FacetFilter[]): SQL[] =>
  fields
    .filter((field) => query[field] !== undefined)
    .flatMap((field) => {
      const isEqual = hasValue(dialect, query, field, sql`${sql.identifier(field)}`);
      return isOwner(field) ? [isEqual, hasOwner(field)] : isEqual;
    });

const isOwner = (name: string): boolean => ownerFilters.some((field) => field === name);
/** The indexes of teams and persons leave out facets without one, so that a query of them has to say so. */
const hasOwner = (name: string): SQL => sql`${sql.identifier(name)} <> ''`;

/** The condition that a column has the value of a filter, or one of its values. */
function hasValue(dialect: Dialect, query: PageQuery, field: FacetFilter, column: SQL): SQL {
  const value = query[field];
  return Array.isArray(value)
    ? dialect.isIn(column, sql`select value from ${elements(dialect, value)}`)
    : sql`${column} = ${dialect.opaque(value)}`;
}

type TimeBounds = Record<"before" | "after", SQL | undefined>;

const timeBounds = ({ before, after }: PageQuery): TimeBounds => ({
  before: before === undefined ? undefined : sql`${before}`,
  after: after === undefined ? undefined : sql`${after}`,
});

const projectCondition = (dialect: Dialect, { projects }: PageQuery): SQL | undefined =>
  projects === null
    ? undefined
    : dialect.isIn(sql`project`, sql`select value from ${elements(dialect, projects)}`);

const all = (conditions: (SQL | undefined)[]): SQL => and(sql`true`, ...conditions) as SQL;
