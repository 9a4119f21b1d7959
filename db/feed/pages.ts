/**
 * Chooses how a page of the feed is read, by its filters. No strategy's cost grows with the length of the
 * log.
 *
 * 1. Index range (dialect/index-range.ts). With one filter or none, an index holds the page in order, ready
 *    to read. A selective filter (an issue, a pull request) also reads its own index: few events have the
 *    value, so the remaining filters are checked on each of them.
 * 2. K-way merge (k-way-merge.ts). With several facet filters, or for several projects, no single index holds
 *    the page in order. It is merged from sorted lists: one for each matching facet, or one for each project.
 * 3. Scan of the next events (also k-way-merge.ts). If very many lists match, so do most events: reading the
 *    next ones and checking each fills the page sooner than merging. If it does not, the lists are merged.
 *
 * `bun run bench growth` compares each kind of page on a small and a large log, `bun run bench feed` the
 * requests for them.
 */
import { and, sql } from "drizzle-orm";
import type { Reads } from "../../src/data.ts";
import {
  type FeedFilter,
  type FeedFilterName,
  facetFilters,
  feedFilterNames,
  selectiveFilters,
} from "../../src/feed/filters.ts";
import { Cache } from "../../src/lib/cache.ts";
import type { Micros } from "../../src/lib/time.ts";
import type { Projects, RenderedEvent } from "../../src/rows.ts";
import { valuesOf } from "../../src/wire.ts";
import type { Values } from "../dialect/client.ts";
import type { Direction } from "../dialect/index-range.ts";
import type { Session } from "../engine/session.ts";
import { shapesMax } from "../query/prepared-statement.ts";
import { elements } from "../query/sql.ts";
import { mergedPage, type PageQuery } from "./k-way-merge.ts";

type FeedQuery = FeedFilter & { before?: Micros; after?: Micros; limit: number };
type PageStatement = ReturnType<typeof buildPage>;

/**
 * Opens the page reads of a session. The statement of each set of filters is built once, because building one
 * takes longer than running it (`bun run bench feed`).
 */
export function preparedPages(session: Session): Reads["feed"] {
  const readers = new Cache<string, (query: PageQuery) => Promise<RenderedEvent[]>>({ max: shapesMax });
  return async (projects, { order = "newest first", ...feedQuery }) => {
    const query = toPageQuery(projects, feedQuery);
    if (query === null) return [];
    if (!isIndexRange(query)) return mergedPage(session, query, order);
    const bounded = { before: latest, ...query };
    const shape = [order, isRareKind(query), ...queryShape(bounded)].join();
    return readers.getOrMake(shape, () => rowReader(session, buildPage(session, bounded, order)))(bounded);
  };
}

/** An upper bound is always given, so that the limit is not the only parameter (see query/row-reader.ts). */
const latest: Micros = Number.MAX_SAFE_INTEGER;

/** Combines the filters with the projects the caller may see; null if no event can match. */
function toPageQuery(projects: Projects, query: FeedQuery): PageQuery | null {
  const { project: named, ...others } = query;
  const readable = named === undefined ? projects : valuesOf(named).filter((slug) => canRead(projects, slug));
  if (readable === null) return { ...others, projects: null };
  // A token may name a project twice, and a list must not be merged twice.
  const [project, ...more] = new Set(readable);
  if (project === undefined) return null;
  return more.length === 0
    ? { ...others, project, projects: null }
    : { ...others, projects: [project, ...more] };
}

const canRead = (projects: Projects, slug: string): boolean => projects === null || projects.includes(slug);

const givenFilters = <F extends keyof PageQuery>(names: readonly F[], query: PageQuery): F[] =>
  names.filter((name) => query[name] !== undefined);
const hasSelective = (query: PageQuery): boolean => givenFilters(selectiveFilters, query).length > 0;

/** One index can serve the whole page. */
const isIndexRange = (query: PageQuery): boolean =>
  hasSelective(query) || (query.projects === null && hasOneValueAtMost(query));
const hasOneValueAtMost = (query: PageQuery): boolean =>
  feedFilterNames.flatMap((name) => valuesOf<string | number>(query[name])).length <= 1;

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

function buildPage(session: Session, query: PageQuery, direction: Direction) {
  const { events } = session.t;
  const placeholder = (name: keyof PageQuery) =>
    query[name] === undefined ? undefined : sql.placeholder(name);
  const [range, ...others] = [...givenFilters(selectiveFilters, query), ...givenFilters(facetFilters, query)];
  const key = range && { column: events[range], value: sql.placeholder(range) };
  const bounds = { before: placeholder("before"), after: placeholder("after") };
  const { where, order } = session.dialect.indexRange(
    { key, isOnlyIndex: hasSelective(query), ts: events.ts, ...bounds },
    direction,
  );
  // Not by the index of a facet filter, whose value far more events have.
  const unindexed = (name: FeedFilterName) => session.dialect.unindexed(events[name]);
  const among = (name: FeedFilterName, list: keyof PageQuery) =>
    sql`${unindexed(name)} in (select value from ${elements(session.dialect, sql.placeholder(list))})`;
  const conditions = others.map((name) =>
    Array.isArray(query[name]) ? among(name, name) : sql`${unindexed(name)} = ${sql.placeholder(name)}`,
  );
  if (query.projects !== null) conditions.push(among("project", "projects"));
  if (session.dialect.name === "sqlite" && range === "kind" && isRareKind(query))
    conditions.push(sql.raw(rareKinds));
  return session.db
    .select({ id: events.id, ts: events.ts, wire: events.wire })
    .from(events)
    .where(and(where, ...conditions))
    .orderBy(order)
    .limit(sql.placeholder("limit"))
    .prepare();
}

function rowReader(session: Session, page: PageStatement): (query: PageQuery) => Promise<RenderedEvent[]> {
  const parameters = (query: PageQuery) => {
    const values: Values & { limit: number } = { ...query };
    for (const name in values) if (Array.isArray(values[name])) values[name] = JSON.stringify(values[name]);
    return values;
  };
  const read = session.dialect.reader<RenderedEvent>(session.db, page);
  return (query) => read(parameters(query));
}
