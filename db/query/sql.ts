import { is, Placeholder, type SQL, sql } from "drizzle-orm";
import type { Dialect } from "../dialect/dialect.ts";
import type { Session } from "../engine/session.ts";

/** Runs a raw statement and returns its rows, for SQL that drizzle's builder cannot express. */
export const allRows = <T>({ db, dialect }: Session, statement: SQL): Promise<T[]> =>
  dialect.all(db, statement);

/**
 * The elements of a list as rows of one column, `value`, bound as one JSON parameter: the statement is the
 * same for any length. On Postgres the values are text. @param list a placeholder takes the JSON text
 */
export const elements = (dialect: Dialect, list: readonly (string | number)[] | Placeholder): SQL =>
  dialect.elements(is(list, Placeholder) ? list : JSON.stringify(list));

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

/** JSON without lone surrogates, which `jsonb` rejects and a bound text has as U+FFFD. */
export const wellFormedJson = (rows: readonly unknown[]): string => {
  const json = JSON.stringify(rows);
  return loneSurrogate.test(json)
    ? JSON.stringify(rows, (_, value) => (typeof value === "string" ? value.toWellFormed() : value))
    : json;
};
/** `JSON.stringify` escapes only lone ones; a text that spells such an escape costs a second look. */
const loneSurrogate = /\\ud[89a-f]/;

type Results<T> = { -readonly [K in keyof T]: Awaited<T[K]> };

/**
 * Runs statements that do not depend on each other's results; Postgres gets them in one pipeline. When one
 * fails it rejects with that error, but only after the others have settled, so that none runs after a
 * rollback.
 */
export async function pipeline<const T extends readonly Promise<unknown>[]>(
  statements: T,
): Promise<Results<T>> {
  if (statements.length < 2) return (await Promise.all(statements)) as Results<T>;
  // On SQLite drizzle returns a thenable that runs the query again each time it is awaited.
  const running = statements.map((statement) => Promise.resolve(statement));
  try {
    return (await Promise.all(running)) as Results<T>;
  } catch (error) {
    await Promise.allSettled(running);
    throw error;
  }
}
