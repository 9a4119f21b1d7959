/** Pages of the feed, by statements that are built once for each set of filters: building one takes longer than running it. */
import { and, sql } from "drizzle-orm";
import type { FeedFilter, Projects, Rendered, RenderedPage } from "../src/rows.ts";
import type { Micros } from "../src/time.ts";
import { filters } from "./facets.ts";
import { type Asked, mergedPage } from "./merged.ts";
import { packedUntil } from "./packed.ts";
import { plainRows } from "./plain.ts";
import type { Session } from "./session.ts";
import { type Direction, stretch } from "./stretch.ts";
import { reachesPacked, withPacked } from "./with-packed.ts";

type Query = FeedFilter & { before?: Micros; after?: Micros; limit: number };
type Page = ReturnType<typeof build>;

interface Pages {
  select(projects: Projects, query: Query, direction: Direction): Promise<Rendered[]>;
  /** Newest first, as one text. */
  page(projects: Projects, query: Query): Promise<RenderedPage>;
}

export function preparedPages(session: Session): Pages {
  const ofShape = <T>(make: (page: Page, query: Query) => (query: Query) => Promise<T>) => {
    const built = new Map<string, (query: Query) => Promise<T>>();
    return (query: Query, direction: Direction) => {
      const shape = [direction, isRare(query), ...optional.filter((field) => query[field] !== undefined)].join();
      let run = built.get(shape);
      if (!run) built.set(shape, (run = make(build(session, query, direction), query)));
      return run(query);
    };
  };
  const rows = ofShape((page) => runner(session, page));
  const joined = ofShape((page, query) => joiner(session, page, query));
  const select: Pages["select"] = async (projects, query, direction) => {
    const asked = narrowed(projects, query);
    if (asked === null) return [];
    if (!isSimple(asked))
      return withPacked(session, asked, await mergedPage(session, asked, direction), direction, await packedUntil(session));
    const { found, packed = await packedUntil(session) } = await rows(asked, direction);
    return withPacked(session, asked, found, direction, packed);
  };
  /** Up to where events were packed when it was last seen: pages of before then need not be tried without. */
  let packedOnce: Micros | null = null;
  return {
    select,
    async page(projects, query) {
      const asked = narrowed(projects, query);
      const isOld = packedOnce !== null && asked?.before !== undefined && asked.before <= packedOnce;
      if (asked && isSimple(asked) && session.dialect === "sqlite" && !isOld) {
        const { packed, ...page } = await joined(asked, "newest first");
        packedOnce = packed;
        if (!reachesPacked(asked, { count: page.count, last: page.oldest }, "newest first", packed)) {
          if (page.more || packed === null || page.count < query.limit) return page;
          const behind = { ...query, ...(page.oldest !== null && { before: page.oldest }), limit: 1 };
          return { ...page, more: (await select(projects, behind, "newest first")).length > 0 };
        }
      }
      const found = await select(projects, { ...query, limit: query.limit + 1 }, "newest first");
      const shown = found.slice(0, query.limit);
      const wires = shown.map((row) => row.wire).join();
      return { wires, count: shown.length, oldest: shown.at(-1)?.ts ?? null, more: found.length > query.limit };
    },
  };
}

interface Found {
  found: Rendered[];
  /** Time of the newest packed event at the same moment; absent where it is still to be asked. */
  packed?: Micros | null | undefined;
}

/** What the caller may see and what is asked for, in one; null where that is nothing. */
function narrowed(projects: Projects, query: Query): Asked | null {
  if (projects === null) return { ...query, projects };
  if (query.project !== undefined) return projects.includes(query.project) ? { ...query, projects: null } : null;
  // A token may name one twice, and each stands for a list.
  const [project, ...others] = new Set(projects);
  if (project === undefined) return null;
  return others.length === 0 ? { ...query, project, projects: null } : { ...query, projects: [project, ...others] };
}

/** One index has the whole page. */
const isSimple = (asked: Asked): boolean => asked.projects === null && filters.filter((field) => asked[field] !== undefined).length <= 1;

const optional = [...filters, "before", "after"] as const;

/**
 * SQLite keeps the texts of all kinds but the most frequent one also in the order of kinds: an event of a rare kind lies on a page
 * of the file of its own, so fifty of them took as many reads. It uses that index where it is told in its own words.
 */
const rarely = "kind <> 'step.usage'";
const isRare = ({ kind }: Query): boolean => kind !== undefined && kind !== "step.usage";

function build(session: Session, query: Query, direction: Direction) {
  const { events } = session.t;
  const given = <F extends (typeof optional)[number]>(field: F) => (query[field] === undefined ? undefined : sql.placeholder(field));
  const [field] = filters.filter((one) => query[one] !== undefined);
  const of = field && { column: events[field], value: sql.placeholder(field) };
  const { where, order } = stretch(session, { of, ts: events.ts, before: given("before"), after: given("after") }, direction);
  return session.db
    .select({ id: events.id, ts: events.ts, wire: events.wire, ...(session.dialect === "postgres" && { packed: newestPacked }) })
    .from(events)
    .where(session.dialect === "sqlite" && isRare(query) ? and(where, sql.raw(rarely)) : where)
    .orderBy(order)
    .limit(sql.placeholder("limit"))
    .prepare();
}

/** On Postgres another question is another way there and back. */
const newestPacked = sql<Micros | null>`(select max(last) from packs)`.mapWith(Number).as("packed");

function runner(session: Session, page: Page): (query: Query) => Promise<Found> {
  if (session.dialect === "sqlite") {
    const all = plainRows<Rendered>(session, page);
    return async (query) => ({ found: all(query) });
  }
  return async (query) => {
    const rows = await page.execute({ ...query });
    return { found: rows.map(({ id, ts, wire }) => ({ id, ts, wire })), packed: rows[0]?.packed };
  };
}

type Joined = RenderedPage & { packed: Micros | null };

/**
 * SQLite joins the texts for less than it takes to hand over each of them, and tells in the same breath what else there is. It
 * keeps the order of a subquery that has a limit.
 */
function joiner(session: Session, page: Page, query: Query): (query: Query) => Promise<Joined> {
  const given = optional.filter((field) => query[field] !== undefined);
  const behind = given
    .map((field, index) => ({ field, value: `?${index + 1}` }))
    .filter(({ field }) => field !== "before")
    .map(({ field, value }) => (field === "after" ? `ts > ${value}` : `${field} = ${value}`));
  if (isRare(query)) behind.push(rarely);
  const all = plainRows<Omit<Joined, "wires" | "more"> & { wires: string | null; more: number }>(
    session,
    page,
    (text) => `with page as (select count(*) as count, min(ts) as oldest, group_concat(wire) as wires from (${text}))
      select *, (select max(last) from packs) as packed,
        exists (select 1 from events where ${["ts < oldest", ...behind].join(" and ")}) as more from page`,
  );
  return async (query) => {
    const [row] = all(query);
    const { count, oldest, wires, packed, more } = row as NonNullable<typeof row>; // of nothing too it counts, and gives one row
    return { count, oldest, wires: wires ?? "", packed, more: more === 1 };
  };
}
