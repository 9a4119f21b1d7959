import { is, Placeholder, type SQL, sql } from "drizzle-orm";
import type { Session } from "../engine/session.ts";

/** Rows of a statement that the builder cannot say. */
export async function allRows<T>({ db, dialect }: Session, statement: SQL): Promise<T[]> {
  if (dialect === "sqlite") return db.all<T>(statement);
  // safe because: the Postgres session has `execute`, which gives the rows (see kit.ts)
  return (db as unknown as { execute(statement: SQL): Promise<T[]> }).execute(statement);
}

/**
 * The members of a list, as rows of one column, `value`; a placeholder stands for its JSON. One statement,
 * however long it is. Postgres gives them as texts.
 */
export function elements(dialect: Session["dialect"], list: readonly (string | number)[] | Placeholder): SQL {
  const json = is(list, Placeholder) ? list : JSON.stringify(list);
  return dialect === "sqlite"
    ? sql`json_each(${json}) as element`
    : sql`json_array_elements_text(${json}::text::json) as element (value)`;
}

/** Several columns or values as one, which an index of them finds by one comparison. */
export const tuple = (parts: readonly unknown[]): SQL =>
  sql`(${sql.join(
    parts.map((part) => sql`${part}`),
    sql`, `,
  )})`;

/**
 * A limit that comes as a parameter may be anything to Postgres: it plans for it anew each time, which takes
 * as long as the rest. There are few.
 */
export const literalCount = (count: number): SQL => sql.raw(String(count));
