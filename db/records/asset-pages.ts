/**
 * Keyset pages of the asset list, and single assets, by prepared statements that are built once: building one
 * takes longer than running it.
 */
import { and, type Column, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { Reads } from "../../src/data.ts";
import type { AssetRow } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { tuple } from "../query/sql.ts";

const filterable = ["project", "status", "kind", "issue", "pr", "sha256"] as const;
/** Filters with few distinct values, each with an index in list order. */
const indexedFilters = ["project", "kind", "status"] as const;
const listOrder = ["waiting", "created_at", "id"] as const;

/** The first sort column: pending assets come first. */
export const waitingOf = ({ status }: Pick<AssetRow, "status">): number => (status === "pending" ? 1 : 0);

type Page = Parameters<Reads["assets"]>[1];
type Values = Record<string, unknown> & { limit: number };
type Query<R> = (values: Values) => Promise<R[]>;

/** All columns except those that only serve the list. */
export function rowColumns({ t: { assets } }: Session) {
  const { waiting: _, wire: __, ...columns } = getTableColumns(assets);
  return columns;
}

/** Returns a reader of pages, with one prepared statement for each combination of filters. */
export function assetPages<R>(
  session: Session,
  columns: Record<string, Column>,
): (projects: Parameters<Reads["assets"]>[0], page: Page) => Promise<R[]> {
  const built = new Map<string, Query<R>>();
  return async (projects, page) => {
    const { after, ...filter } = page;
    const values = {
      ...filter,
      ...(after && { waiting: waitingOf(after), created_at: after.created_at, id: after.id }),
    };
    if (projects)
      return buildPage<R>(session, columns, page, inArray(session.t.assets.project, [...projects]))(values);
    const shape = [...filterable, "after" as const].filter((field) => page[field] !== undefined).join();
    let query = built.get(shape);
    if (!query) built.set(shape, (query = buildPage<R>(session, columns, page)));
    return query(values);
  };
}

function buildPage<R>(
  session: Session,
  columns: Record<string, Column>,
  page: Page,
  visible?: SQL,
): Query<R> {
  const { assets } = session.t;
  const field =
    session.dialect.name === "postgres" && !page.sha256
      ? indexedFilters.find((name) => page[name] !== undefined)
      : undefined;
  const conditions: (SQL | undefined)[] = filterable
    .filter((name) => name !== field && page[name] !== undefined)
    .map((name) => eq(assets[name], sql.placeholder(name)));
  // A range on (filter, waiting) makes Postgres use the index of the filter. With an equality it may scan the
  // whole list from the newest row when the value is frequent.
  if (field)
    for (const bound of [sql`>= (${sql.placeholder(field)}, 0)`, sql`<= (${sql.placeholder(field)}, 1)`])
      conditions.push(sql`(${assets[field]}, ${assets.waiting}) ${bound}`);
  const order = [...(field ? [field] : []), ...listOrder];
  // One comparison of row values, so that the index seeks to the position.
  if (page.after)
    conditions.push(
      sql`${tuple(order.map((name) => assets[name]))} < ${tuple(order.map((name) => sql.placeholder(name)))}`,
    );
  const query = session.db
    .select(columns as ReturnType<typeof rowColumns>)
    .from(assets)
    .where(and(...conditions, visible))
    .orderBy(...order.map((name) => desc(assets[name])))
    .limit(sql.placeholder("limit"))
    .prepare();
  return session.dialect.reader<R>(session.db, query, assets);
}

const byId = preparedStatement((session) => {
  const { assets } = session.t;
  const query = session.db
    .select(rowColumns(session))
    .from(assets)
    .where(eq(assets.id, sql.placeholder("id")))
    .limit(sql.placeholder("limit"))
    .prepare();
  return session.dialect.reader<AssetRow>(session.db, query, assets);
});

/** Null for an unknown id. */
export async function assetById(session: Session, id: string): Promise<AssetRow | null> {
  const [row] = await byId(session)({ id, limit: 1 });
  return row ?? null;
}
