/**
 * Pages of the feed that one index holds in order. The statement of each set of filters is built once,
 * because building one takes longer than running it (`bun run bench feed`).
 */
import { and, type SQL, sql } from "drizzle-orm";
import { boundedByCount, Cache } from "../../src/core/lib/cache.ts";
import type { Micros } from "../../src/core/lib/time.ts";
import { columnFilters, feedFilterNames, ownerFilters, selectiveFilters } from "../../src/feed/filters.ts";
import type { RenderedEvent } from "../../src/feed/rows.ts";
import type { PreparedQuery, Values } from "../dialect/client.ts";
import type { Direction } from "../dialect/index-range.ts";
import type { Session } from "../engine/session.ts";
import { elements, shapesMax } from "../query/statements.ts";
import type { PageQuery } from "./k-way-merge.ts";
import { inYears } from "./partitions.ts";

type Read = (query: PageQuery) => Promise<RenderedEvent[]>;

/** Returns a function that reads a page. It builds the statement for each set of filters once. */
export function rangeReader(session: Session) {
  const readers = new Cache<string, Read>({ max: shapesMax, bytesOf: boundedByCount });
  return (query: PageQuery, direction: Direction): Promise<RenderedEvent[]> => {
    const bounded = { before: latest, ...query };
    const { first, last } = query.years ?? {};
    const shape = [direction, isRareKind(query), first, last, ...queryShape(bounded)].join();
    return readers.getOrMake(shape, () => reader(session, rowsQuery(session, bounded, direction)))(bounded);
  };
}

/** An upper bound is always given, so that the limit is not the only parameter (see query/row-reader.ts). */
const latest: Micros = Number.MAX_SAFE_INTEGER;

export const givenFilters = <F extends keyof PageQuery>(names: readonly F[], query: PageQuery): F[] =>
  names.filter((name) => query[name] !== undefined);

const times = ["before", "after"] as const;
const queryShape = (query: PageQuery): string[] => [
  ...givenFilters([...feedFilterNames, ...times], query).map((name) =>
    Array.isArray(query[name]) ? `several ${name}` : name,
  ),
  ...(query.projects === null ? [] : ["projects"]),
];

/**
 * The condition of a partial covering index on SQLite, which holds the rendered events of every kind but the
 * most frequent one, sorted by kind. Without it each event of a rare kind is on a page of the file of its
 * own. SQLite uses a partial index only if the query repeats its condition literally
 * (https://www.sqlite.org/partialindex.html).
 */
const rareKinds = "kind <> 'step.usage'";
const isRareKind = ({ kind }: PageQuery): boolean => typeof kind === "string" && kind !== "step.usage";

/** The condition and the order of a page. */
function pageRange(session: Session, query: PageQuery, direction: Direction) {
  const { events } = session.t;
  const [range, ...others] = [
    ...givenFilters(selectiveFilters, query),
    ...givenFilters(columnFilters, query),
  ];
  const key = range && { column: events[range], value: sql.placeholder(range) };
  const bounds = { before: bound(query, "before"), after: bound(query, "after") };
  const isOnlyIndex = givenFilters(selectiveFilters, query).length > 0;
  const { where, order } = session.dialect.indexRange(
    { key, isOnlyIndex, ts: events.ts, ...bounds },
    direction,
  );
  // Not by the index of a facet filter, whose value far more events have.
  const unindexed = (name: ColumnName) => session.dialect.unindexed(events[name]);
  const among = (name: ColumnName, list: keyof PageQuery) =>
    sql`${unindexed(name)} in (select value from ${elements(session.dialect, sql.placeholder(list))})`;
  const conditions = others.map((name) =>
    Array.isArray(query[name]) ? among(name, name) : sql`${unindexed(name)} = ${sql.placeholder(name)}`,
  );
  for (const name of givenFilters(ownerFilters, query)) conditions.push(hasOwner(session, query, name));
  if (query.projects !== null) conditions.push(among("project", "projects"));
  if (session.dialect.name === "sqlite" && range === "kind" && isRareKind(query))
    conditions.push(sql.raw(rareKinds));
  return { where: and(where, ...inYears(events.ts, query.years), ...conditions), order };
}

type ColumnName = (typeof columnFilters | typeof selectiveFilters)[number];

/** Quotes within the texts of an event are escaped, so only the field itself reads like this. */
function hasOwner({ dialect, t }: Session, query: PageQuery, name: (typeof ownerFilters)[number]): SQL {
  const isOf = (value: SQL) => dialect.contains(t.events.wire, sql`${`"${name}":"`} || ${value} || ${'"'}`);
  const given = sql.placeholder(name);
  return Array.isArray(query[name])
    ? sql`exists (select 1 from ${elements(dialect, given)} where ${isOf(sql`value`)})`
    : isOf(sql`cast(${given} as text)`);
}

const bound = (query: PageQuery, name: (typeof times)[number]): SQL | undefined =>
  query[name] === undefined ? undefined : sql`${sql.placeholder(name)}`;

function rowsQuery(session: Session, query: PageQuery, direction: Direction): PreparedQuery {
  const { id, ts, wire } = session.t.events;
  const { where, order } = pageRange(session, query, direction);
  const limit = sql.placeholder("limit");
  return session.db
    .select({ id, ts, wire })
    .from(session.t.events)
    .where(where)
    .orderBy(order)
    .limit(limit)
    .prepare();
}

function reader(session: Session, statement: PreparedQuery): Read {
  const read = session.dialect.reader<RenderedEvent>(session.db, statement);
  return (query) => {
    const values: Values & { limit: number } = { ...query };
    for (const name in values) if (Array.isArray(values[name])) values[name] = JSON.stringify(values[name]);
    return read(values);
  };
}
