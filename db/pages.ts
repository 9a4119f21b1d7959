/** Pages of the feed, by statements that are built once for each set of filters: building one takes longer than running it. */
import { and, asc, desc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { FeedFilter, Projects, Rendered, RenderedPage } from "../src/rows.ts";
import type { Micros } from "../src/time.ts";
import { plainRows } from "./plain.ts";
import type { Session } from "./session.ts";

type Direction = "newest first" | "oldest first";
type Query = FeedFilter & { before?: Micros; after?: Micros; limit: number };
type Page = ReturnType<typeof build>;

interface Pages {
  select(projects: Projects, query: Query, direction: Direction): Promise<Rendered[]>;
  /** Newest first, as one text. */
  page(projects: Projects, query: Query): Promise<RenderedPage>;
}

export function preparedPages(session: Session): Pages {
  const ofShape = <T>(make: (page: Page) => (query: Query) => Promise<T>) => {
    const built = new Map<string, (query: Query) => Promise<T>>();
    return (query: Query, direction: Direction) => {
      const shape = [direction, ...optional.filter((field) => query[field] !== undefined)].join();
      let run = built.get(shape);
      if (!run) built.set(shape, (run = make(build(session, query, direction))));
      return run(query);
    };
  };
  const rows = ofShape((page) => runner(session, page));
  const joined = ofShape((page) => joiner(session, page));
  const select: Pages["select"] = async (projects, query, direction) =>
    projects === null
      ? rows(query, direction)
      : build(session, query, direction, inArray(session.t.events.project, [...projects])).execute({ ...query });
  return {
    select,
    async page(projects, query) {
      if (projects !== null || session.dialect === "postgres") {
        const found = await select(projects, { ...query, limit: query.limit + 1 }, "newest first");
        const shown = found.slice(0, query.limit);
        const wires = shown.map((row) => row.wire).join();
        return { wires, count: shown.length, oldest: shown.at(-1)?.ts ?? null, more: found.length > query.limit };
      }
      const page = await joined(query, "newest first");
      const behind = page.count === query.limit && page.oldest !== null && { ...query, before: page.oldest, limit: 1 };
      return { ...page, more: behind ? (await rows(behind, "newest first")).length > 0 : false };
    },
  };
}

const filters = ["project", "kind", "actor", "lane"] as const satisfies (keyof FeedFilter)[];
const optional = [...filters, "before", "after"] as const;

function build({ db, t: { events } }: Session, query: Query, direction: Direction, more?: SQL) {
  const conditions: (SQL | undefined)[] = filters
    .filter((field) => query[field] !== undefined)
    .map((field) => eq(events[field], sql.placeholder(field)));
  if (query.before !== undefined) conditions.push(lt(events.ts, sql.placeholder("before")));
  if (query.after !== undefined) conditions.push(gt(events.ts, sql.placeholder("after")));
  return db
    .select({ id: events.id, ts: events.ts, wire: events.wire })
    .from(events)
    .where(and(...conditions, more))
    .orderBy(direction === "newest first" ? desc(events.ts) : asc(events.ts))
    .limit(sql.placeholder("limit"))
    .prepare();
}

function runner(session: Session, page: Page): (query: Query) => Promise<Rendered[]> {
  if (session.dialect === "postgres") return (query) => page.execute({ ...query });
  const all = plainRows<Rendered>(session, page);
  return async (query) => all(query);
}

/** SQLite joins the texts for less than it takes to hand over each of them. It keeps the order of a subquery that has a limit. */
function joiner(session: Session, page: Page): (query: Query) => Promise<Omit<RenderedPage, "more">> {
  const all = plainRows<Omit<RenderedPage, "more" | "wires"> & { wires: string | null }>(
    session,
    page,
    (text) => `select count(*) as count, min(ts) as oldest, group_concat(wire) as wires from (${text})`,
  );
  return async (query) => {
    const [{ count, oldest, wires } = { count: 0, oldest: null, wires: null }] = all(query);
    return { count, oldest, wires: wires ?? "" };
  };
}
