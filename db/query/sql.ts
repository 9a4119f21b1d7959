import { is, Placeholder, type SQL, sql } from "drizzle-orm";
import type { Session } from "../engine/session.ts";

/** Runs a raw statement and returns its rows, for SQL that drizzle's builder cannot express. */
export async function allRows<T>({ db, dialect }: Session, statement: SQL): Promise<T[]> {
  if (dialect === "sqlite") return db.all<T>(statement);
  // safe because: the Postgres session has `execute`, which returns the rows (see schema/columns.ts)
  return (db as unknown as { execute(statement: SQL): Promise<T[]> }).execute(statement);
}

/**
 * The elements of a list as rows of one column, `value`, bound as one JSON parameter: the statement is the
 * same for any length. On Postgres the values are text. @param list a placeholder takes the JSON text
 */
export function elements(dialect: Session["dialect"], list: readonly (string | number)[] | Placeholder): SQL {
  const json = is(list, Placeholder) ? list : JSON.stringify(list);
  return dialect === "sqlite"
    ? sql`json_each(${json}) as element`
    : sql`json_array_elements_text(${json}::text::json) as element (value)`;
}

/** A row value: comparing two of them uses a composite index in one seek. */
export const tuple = (parts: readonly unknown[]): SQL =>
  sql`(${sql.join(
    parts.map((part) => sql`${part}`),
    sql`, `,
  )})`;

/**
 * A limit as a literal. With a parameter Postgres cannot use a generic plan and plans the statement again
 * each time, which takes as long as running it. The callers use few different values.
 */
export const literalCount = (count: number): SQL => sql.raw(String(count));
