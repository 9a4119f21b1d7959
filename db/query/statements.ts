/** Statements: prepared once for each connection, and pieces of SQL that drizzle's builder does not have. */
import { is, Param, Placeholder, type SQL, sql } from "drizzle-orm";
import { boundedByCount, Cache, perObject } from "../../src/core/lib/cache.ts";
import type { PreparedQuery, Values } from "../dialect/client.ts";
import type { Dialect } from "../dialect/dialect.ts";
import type { Session } from "../engine/session.ts";

/**
 * Bounds the statements that are built per shape of a query: its set of filters, or its limit. A client uses
 * few of them, but can combine them into thousands.
 */
export const shapesMax = 200;

/**
 * Returns a function that builds a prepared statement once for each connection: building one with drizzle
 * takes longer than running it.
 */
export function preparedStatement<T>(build: (session: Session) => T): (session: Session) => T {
  const perConnection = perObject((_db: Session["db"], session: Session) => build(session));
  return (session) => perConnection(session.db, session);
}

/** As `preparedStatement`, for a statement that has a few shapes, such as one for each set of filters. */
export function preparedShapes<Shape extends string | boolean, T>(
  build: (session: Session, shape: Shape) => T,
): (session: Session, shape: Shape) => T {
  const perConnection = perObject(
    (_db: Session["db"]) => new Cache<Shape, { built: T }>({ max: shapesMax, bytesOf: boundedByCount }),
  );
  return (session, shape) =>
    perConnection(session.db).getOrMake(shape, () => ({ built: build(session, shape) })).built;
}

/**
 * A prepared statement that returns no rows, for those that every append runs: on SQLite it bypasses drizzle,
 * which maps each value separately.
 */
export const preparedWrite = (build: (session: Session) => PreparedQuery) =>
  preparedStatement((session) => session.dialect.writer(session.db, build(session)));

/** A prepared reader asks for a limit; there are never that many rows. */
export const noLimit = 2 ** 31 - 1;

/**
 * A reader of the columns of a statement that drizzle's builder cannot express. To build such a statement at
 * each call would take as long as to run it.
 */
export function rowsReader<Row>(
  { db, dialect }: Session,
  statement: SQL,
  names: readonly (keyof Row & string)[],
): (values: Values) => Promise<Row[]> {
  const columns = Object.fromEntries(names.map((name) => [name, sql`${sql.identifier(name)}`.as(name)]));
  const query = db.select(columns).from(sql`(${statement}) as found`).limit(sql.placeholder("limit"));
  const read = dialect.reader<Row>(db, query.prepare());
  return (values) => read({ ...values, limit: noLimit });
}

/** A placeholder for each field, under its own name. */
export const placeholders = (fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, sql.placeholder(field)]));

/**
 * Returns a function that lists the values of a statement's parameters. drizzle's own `fillPlaceholders`
 * inspects each parameter again at every call (`bun run bench feed`).
 */
export function parameterLister(params: readonly unknown[]): (values: Values) => unknown[] {
  const readers = params.map(parameterReader);
  return (values) => readers.map((read) => read(values));
}

function parameterReader(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name];
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param;
  const { value, encoder } = param;
  return (values) => encoder.mapToDriverValue(values[value.name]);
}

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
