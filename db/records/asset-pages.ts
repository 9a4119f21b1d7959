/**
 * Pages of the list of assets, and single ones, by statements that are built once: building one takes longer
 * than running it.
 */
import { and, type Column, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { Reads } from "../../src/data.ts";
import type { AssetRow } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { type BuiltQuery, rowDecoder, sqliteQuery } from "../query/fast-statement.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { tuple } from "../query/sql.ts";

const filterable = ["project", "status", "kind", "issue", "pr", "sha256"] as const;
/** Those that many assets share, with an index in the order of the list. */
const led = ["project", "kind", "status"] as const;
const listOrder = ["waiting", "created_at", "id"] as const;

/** Pending ones come first. */
export const waitingOf = ({ status }: Pick<AssetRow, "status">): number => (status === "pending" ? 1 : 0);

type Page = Parameters<Reads["assets"]>[1];
type Values = Record<string, unknown> & { limit: number };
type Run<R> = (values: Values) => Promise<R[]>;

/** Everything but what is there for the list alone. */
export function rowColumns({ t: { assets } }: Session) {
  const { waiting: _, wire: __, ...columns } = getTableColumns(assets);
  return columns;
}

/** One statement for each set of filters. */
export function pagesOf<R>(
  session: Session,
  columns: Record<string, Column>,
): (projects: Parameters<Reads["assets"]>[0], page: Page) => Promise<R[]> {
  const built = new Map<string, Run<R>>();
  return async (projects, page) => {
    const { after, ...filter } = page;
    const values = {
      ...filter,
      ...(after && { waiting: waitingOf(after), created_at: after.created_at, id: after.id }),
    };
    if (projects)
      return buildPage<R>(session, columns, page, inArray(session.t.assets.project, [...projects]))(values);
    const shape = [...filterable, "after" as const].filter((field) => page[field] !== undefined).join();
    let run = built.get(shape);
    if (!run) built.set(shape, (run = buildPage<R>(session, columns, page)));
    return run(values);
  };
}

function buildPage<R>(session: Session, columns: Record<string, Column>, page: Page, more?: SQL): Run<R> {
  const { assets } = session.t;
  const field =
    session.dialect === "postgres" && !page.sha256 ? led.find((one) => page[one] !== undefined) : undefined;
  const conditions: (SQL | undefined)[] = filterable
    .filter((one) => one !== field && page[one] !== undefined)
    .map((one) => eq(assets[one], sql.placeholder(one)));
  // As in `stretch`: Postgres would look for what is frequent among all, from the newest on.
  if (field)
    for (const bound of [sql`>= (${sql.placeholder(field)}, 0)`, sql`<= (${sql.placeholder(field)}, 1)`])
      conditions.push(sql`(${assets[field]}, ${assets.waiting}) ${bound}`);
  const order = [...(field ? [field] : []), ...listOrder];
  // One comparison of all, so that an index finds the place.
  if (page.after)
    conditions.push(
      sql`${tuple(order.map((one) => assets[one]))} < ${tuple(order.map((one) => sql.placeholder(one)))}`,
    );
  const query = session.db
    .select(columns as ReturnType<typeof rowColumns>)
    .from(assets)
    .where(and(...conditions, more))
    .orderBy(...order.map((one) => desc(assets[one])))
    .limit(sql.placeholder("limit"))
    .prepare();
  return runnerOf<R>(session, query);
}

const byId = preparedStatement((session) => {
  const { assets } = session.t;
  const query = session.db
    .select(rowColumns(session))
    .from(assets)
    .where(eq(assets.id, sql.placeholder("id")))
    .limit(sql.placeholder("limit"))
    .prepare();
  return runnerOf<AssetRow>(session, query);
});

export async function assetById(session: Session, id: string): Promise<AssetRow | null> {
  const [row] = await byId(session)({ id, limit: 1 });
  return row ?? null;
}

/** @template R what a row of the query is */
function runnerOf<R>(
  session: Session,
  query: BuiltQuery & { execute(values: Values): Promise<unknown[]> },
): Run<R> {
  if (session.dialect === "postgres") return (values) => query.execute(values) as Promise<R[]>;
  const all = sqliteQuery<Record<string, unknown>>(session, query);
  const read = rowDecoder(session.t.assets);
  return async (values) => all(values).map(read) as R[];
}
