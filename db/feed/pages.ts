/**
 * Pages of the feed: one strategy for each set of filters.
 *
 * 1. An index range: with one filter or none, or with a selective one (an issue, say), one index holds the page in order.
 *    Other filters are checked on the few events of a selective value.
 * 2. A k-way merge (`merged.ts`): with several facets, or for several projects, a page is merged from sorted lists.
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
import type { Session } from "../engine/session.ts";
import { sqliteQuery } from "../query/fast-statement.ts";
import { elements } from "../query/sql.ts";
import { type Direction, stretch } from "./index-range.ts";
import { type Asked, mergedPage } from "./k-way-merge.ts";

type Query = FeedFilter & { before?: Micros; after?: Micros; limit: number };
type Page = ReturnType<typeof build>;

interface Pages {
  select(projects: Projects, query: Query, direction: Direction): Promise<RenderedEvent[]>;
  /** Newest first, as one text. */
  page(projects: Projects, query: Query): Promise<RenderedPage>;
}

/**
 * Statements are built once for each set of filters: building one takes longer than running it (`bun run
 * bench feed`).
 */
export function preparedPages(session: Session): Pages {
  const perShape = <T>(make: (page: Page, asked: Asked) => (asked: Asked) => Promise<T>) => {
    const built = new Map<string, (asked: Asked) => Promise<T>>();
    return (asked: Asked, direction: Direction) => {
      const shape = [direction, isRareKind(asked), ...givenNames(asked)].join();
      let run = built.get(shape);
      if (!run) built.set(shape, (run = make(build(session, asked, direction), asked)));
      return run(asked);
    };
  };
  const rows = perShape((page) => rowReader(session, page));
  const joined = perShape((page, asked) => pageReader(session, page, asked));
  const select: Pages["select"] = async (projects, query, direction) => {
    const asked = narrowed(projects, query);
    if (asked === null) return [];
    return isRange(asked) ? rows(asked, direction) : mergedPage(session, asked, direction);
  };
  return {
    select,
    async page(projects, query) {
      const asked = narrowed(projects, query);
      if (asked && isPlainRange(asked) && session.dialect === "sqlite") return joined(asked, "newest first");
      const found = await select(projects, { ...query, limit: query.limit + 1 }, "newest first");
      const shown = found.slice(0, query.limit);
      const wires = shown.map((row) => row.wire).join();
      return {
        wires,
        count: shown.length,
        oldest: shown.at(-1)?.ts ?? null,
        more: found.length > query.limit,
      };
    },
  };
}

/** The filters and what the caller may see, in one; null where that is nothing. */
function narrowed(projects: Projects, query: Query): Asked | null {
  if (projects === null) return { ...query, projects };
  if (query.project !== undefined)
    return projects.includes(query.project) ? { ...query, projects: null } : null;
  // A token may name a project twice, and each stands for a list.
  const [project, ...others] = new Set(projects);
  if (project === undefined) return null;
  return others.length === 0
    ? { ...query, project, projects: null }
    : { ...query, projects: [project, ...others] };
}

const given = <F extends keyof Query>(names: readonly F[], query: Query): F[] =>
  names.filter((name) => query[name] !== undefined);
const hasSelective = (asked: Asked): boolean => given(selectiveFilters, asked).length > 0;

/** One index has the whole page. */
const isRange = (asked: Asked): boolean => hasSelective(asked) || isPlainRange(asked);

/** One index has the whole page and nothing else: no other condition is checked. */
const isPlainRange = (asked: Asked): boolean =>
  asked.projects === null && given(feedFilterNames, asked).length <= 1;

const times = ["before", "after"] as const;
const givenNames = (asked: Asked): string[] => [
  ...given([...feedFilterNames, ...times], asked),
  ...(asked.projects === null ? [] : ["projects"]),
];

/**
 * SQLite also keeps the texts of every kind but the most frequent one sorted by kind: otherwise each event of
 * a rare kind lies on a page of the file of its own. It uses that partial index where a query repeats its
 * condition word for word.
 */
const rareKinds = "kind <> 'step.usage'";
const isRareKind = ({ kind }: Query): boolean => kind !== undefined && kind !== "step.usage";

function build(session: Session, asked: Asked, direction: Direction) {
  const { events } = session.t;
  const placeholder = (name: keyof Asked) => (asked[name] === undefined ? undefined : sql.placeholder(name));
  const [range, ...others] = [...given(selectiveFilters, asked), ...given(facetFilters, asked)];
  const of = range && { column: events[range], value: sql.placeholder(range) };
  const ends = { before: placeholder("before"), after: placeholder("after") };
  const { where, order } = stretch(
    session,
    { of, isOfOne: hasSelective(asked), ts: events.ts, ...ends },
    direction,
  );
  // A unary plus keeps SQLite from choosing the index of a facet, which holds far more events than a
  // selective value.
  const checked = (name: FeedFilterName) =>
    session.dialect === "sqlite" ? sql`+${events[name]}` : sql`${events[name]}`;
  const conditions = others.map((name) => sql`${checked(name)} = ${sql.placeholder(name)}`);
  if (asked.projects !== null)
    conditions.push(
      sql`${checked("project")} in (select value from ${elements(session.dialect, sql.placeholder("projects"))})`,
    );
  if (session.dialect === "sqlite" && range === "kind" && isRareKind(asked))
    conditions.push(sql.raw(rareKinds));
  return session.db
    .select({ id: events.id, ts: events.ts, wire: events.wire })
    .from(events)
    .where(and(where, ...conditions))
    .orderBy(order)
    .limit(sql.placeholder("limit"))
    .prepare();
}

function rowReader(session: Session, page: Page): (asked: Asked) => Promise<RenderedEvent[]> {
  const valuesOf = (asked: Asked) => ({
    ...asked,
    ...(asked.projects && { projects: JSON.stringify(asked.projects) }),
  });
  if (session.dialect === "sqlite") {
    const read = sqliteQuery<RenderedEvent>(session, page);
    return async (asked) => read(valuesOf(asked));
  }
  return (asked) => page.execute(valuesOf(asked));
}

/**
 * SQLite joins the texts for less than it takes to hand over each of them, and says in the same statement
 * whether there are more. It keeps the order of a subquery that has a limit.
 */
function pageReader(session: Session, page: Page, asked: Asked): (asked: Asked) => Promise<RenderedPage> {
  const older = given([...feedFilterNames, ...times], asked)
    .map((name, index) => ({ name, value: `?${index + 1}` }))
    .filter(({ name }) => name !== "before")
    .map(({ name, value }) => (name === "after" ? `ts > ${value}` : `${name} = ${value}`));
  if (isRareKind(asked)) older.push(rareKinds);
  const read = sqliteQuery<Omit<RenderedPage, "wires" | "more"> & { wires: string | null; more: number }>(
    session,
    page,
    (
      text,
    ) => `with page as (select count(*) as count, min(ts) as oldest, group_concat(wire) as wires from (${text}))
      select *, exists (select 1 from events where ${["ts < oldest", ...older].join(" and ")}) as more from page`,
  );
  return async (asked) => {
    const [row] = read(asked);
    // an aggregate of nothing is one row too
    const { count, oldest, wires, more } = row as NonNullable<typeof row>;
    return { count, oldest, wires: wires ?? "", more: more === 1 };
  };
}
