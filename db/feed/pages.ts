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
import {
  type FeedFilter,
  type FeedFilterName,
  facetFilters,
  feedFilterNames,
  selectiveFilters,
} from "../../src/feed/schema.ts";
import type { Micros } from "../../src/lib/time.ts";
import type { Projects, RenderedEvent, RenderedPage } from "../../src/rows.ts";
import type { Direction } from "../dialect/index-range.ts";
import type { Session } from "../engine/session.ts";
import { sqliteQuery } from "../query/fast-statement.ts";
import { elements } from "../query/sql.ts";
import { mergedPage, type PageQuery } from "./k-way-merge.ts";

type FeedQuery = FeedFilter & { before?: Micros; after?: Micros; limit: number };
type PageStatement = ReturnType<typeof buildPage>;

interface PageReads {
  select(projects: Projects, query: FeedQuery, direction: Direction): Promise<RenderedEvent[]>;
  /** Newest first; the events as one JSON text, joined by commas. */
  page(projects: Projects, query: FeedQuery): Promise<RenderedPage>;
}

/**
 * Opens the page reads of a session. The statement of each set of filters is built once, because building one
 * takes longer than running it (`bun run bench feed`).
 */
export function preparedPages(session: Session): PageReads {
  const perShape = <T>(make: (page: PageStatement, query: PageQuery) => (query: PageQuery) => Promise<T>) => {
    const readers = new Map<string, (query: PageQuery) => Promise<T>>();
    return (query: PageQuery, direction: Direction) => {
      const shape = [direction, isRareKind(query), ...queryShape(query)].join();
      let read = readers.get(shape);
      if (!read) readers.set(shape, (read = make(buildPage(session, query, direction), query)));
      return read(query);
    };
  };
  const rows = perShape((page) => rowReader(session, page));
  const joinedPages = perShape((page, query) => pageReader(session, page, query));
  const select: PageReads["select"] = async (projects, feedQuery, direction) => {
    const query = toPageQuery(projects, feedQuery);
    if (query === null) return [];
    return isIndexRange(query) ? rows(query, direction) : mergedPage(session, query, direction);
  };
  return {
    select,
    async page(projects, feedQuery) {
      const query = toPageQuery(projects, feedQuery);
      if (query && isPureIndexRange(query) && session.dialect.name === "sqlite")
        return joinedPages(query, "newest first");
      const found = await select(projects, { ...feedQuery, limit: feedQuery.limit + 1 }, "newest first");
      const shown = found.slice(0, feedQuery.limit);
      const wires = shown.map((row) => row.wire).join();
      return {
        wires,
        count: shown.length,
        oldest: shown.at(-1)?.ts ?? null,
        more: found.length > feedQuery.limit,
      };
    },
  };
}

/** Combines the filters with the projects the caller may see; null if no event can match. */
function toPageQuery(projects: Projects, query: FeedQuery): PageQuery | null {
  if (projects === null) return { ...query, projects };
  if (query.project !== undefined)
    return projects.includes(query.project) ? { ...query, projects: null } : null;
  // A token may name a project twice, and a list must not be merged twice.
  const [project, ...others] = new Set(projects);
  if (project === undefined) return null;
  return others.length === 0
    ? { ...query, project, projects: null }
    : { ...query, projects: [project, ...others] };
}

const givenFilters = <F extends keyof FeedQuery>(names: readonly F[], query: FeedQuery): F[] =>
  names.filter((name) => query[name] !== undefined);
const hasSelective = (query: PageQuery): boolean => givenFilters(selectiveFilters, query).length > 0;

/** One index can serve the whole page. */
const isIndexRange = (query: PageQuery): boolean => hasSelective(query) || isPureIndexRange(query);

/** One index holds exactly the page: no other condition has to be checked. */
const isPureIndexRange = (query: PageQuery): boolean =>
  query.projects === null && givenFilters(feedFilterNames, query).length <= 1;

const times = ["before", "after"] as const;
const queryShape = (query: PageQuery): string[] => [
  ...givenFilters([...feedFilterNames, ...times], query),
  ...(query.projects === null ? [] : ["projects"]),
];

/**
 * The condition of a partial covering index on SQLite, which holds the rendered events of every kind but the
 * most frequent one, sorted by kind. Without it each event of a rare kind is on a page of the file of its
 * own. SQLite uses a partial index only if the query repeats its condition literally
 * (https://www.sqlite.org/partialindex.html).
 */
const rareKinds = "kind <> 'step.usage'";
const isRareKind = ({ kind }: FeedQuery): boolean => kind !== undefined && kind !== "step.usage";

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
  const conditions = others.map((name) => sql`${unindexed(name)} = ${sql.placeholder(name)}`);
  if (query.projects !== null) {
    const projects = elements(session.dialect, sql.placeholder("projects"));
    conditions.push(sql`${unindexed("project")} in (select value from ${projects})`);
  }
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
  const valuesOf = (query: PageQuery) => ({
    ...query,
    ...(query.projects && { projects: JSON.stringify(query.projects) }),
  });
  const read = session.dialect.reader<RenderedEvent>(session.db, page);
  return (query) => read(valuesOf(query));
}

/**
 * Reads a page as one row. SQLite joins the rendered events faster than it returns them one by one, and the
 * same statement says whether there are older ones. `group_concat` sees the order of the subquery, because
 * its limit prevents flattening.
 */
function pageReader(
  session: Session,
  page: PageStatement,
  query: PageQuery,
): (query: PageQuery) => Promise<RenderedPage> {
  const older = givenFilters([...feedFilterNames, ...times], query)
    .map((name, index) => ({ name, value: `?${index + 1}` }))
    .filter(({ name }) => name !== "before")
    .map(({ name, value }) => (name === "after" ? `ts > ${value}` : `${name} = ${value}`));
  if (isRareKind(query)) older.push(rareKinds);
  const read = sqliteQuery<Omit<RenderedPage, "wires" | "more"> & { wires: string | null; more: number }>(
    session.db,
    page,
    (text) => `with page as (
        select count(*) as count, min(ts) as oldest, group_concat(wire) as wires from (${text}))
      select *, exists (select 1 from events where ${["ts < oldest", ...older].join(" and ")}) as more
      from page`,
  );
  return async (query) => {
    const [row] = read(query);
    // An aggregate without `group by` always returns one row.
    const { count, oldest, wires, more } = row as NonNullable<typeof row>;
    return { count, oldest, wires: wires ?? "", more: more === 1 };
  };
}
