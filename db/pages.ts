/** Pages of the feed, by statements that are built once for each set of filters: building one takes longer than running it. */
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { and, asc, desc, eq, fillPlaceholders, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { FeedFilter, Projects, Rendered } from "../src/rows.ts";
import type { Micros } from "../src/time.ts";
import type { Session } from "./session.ts";

type Direction = "newest first" | "oldest first";
type Query = FeedFilter & { before?: Micros; after?: Micros; limit: number };
type Page = ReturnType<typeof build>;

export function preparedPages(session: Session): (projects: Projects, query: Query, direction: Direction) => Promise<Rendered[]> {
  const built = new Map<string, (query: Query) => Promise<Rendered[]>>();
  return async (projects, query, direction) => {
    const { events } = session.t;
    if (projects !== null) return build(session, query, direction, inArray(events.project, [...projects])).execute({ ...query });
    const shape = [direction, ...optional.filter((field) => query[field] !== undefined)].join();
    let page = built.get(shape);
    if (!page) built.set(shape, (page = runner(session, build(session, query, direction))));
    return page(query);
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

/** Drizzle maps rows cell by cell, which takes nearly as long as reading them; those of bun:sqlite are right as they come. */
function runner({ db, dialect }: Session, page: Page): (query: Query) => Promise<Rendered[]> {
  if (dialect === "postgres") return (query) => page.execute({ ...query });
  const { sql: text, params } = page.getQuery();
  const { $client } = db as typeof db & { $client: Database };
  const statement = $client.prepare<Rendered, SQLQueryBindings[]>(text);
  return async (query) => statement.all(...(fillPlaceholders(params, { ...query }) as SQLQueryBindings[]));
}
