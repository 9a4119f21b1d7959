import type { Session } from "../engine/session.ts";
import { type BuiltQuery, sqliteWrite } from "./fast-statement.ts";

type Values = Record<string, unknown>;

/**
 * Returns a function that builds a prepared statement once for each connection: building one with drizzle
 * takes longer than running it.
 */
export function preparedStatement<T>(build: (session: Session) => T): (session: Session) => T {
  const cache = new WeakMap<Session["db"], T>();
  return (session) => {
    const cached = cache.get(session.db);
    if (cached !== undefined) return cached;
    const statement = build(session);
    cache.set(session.db, statement);
    return statement;
  };
}

/**
 * A prepared statement that returns no rows, for those that every append runs: on SQLite it bypasses drizzle,
 * which maps each value separately.
 */
export const preparedWrite = (
  build: (session: Session) => BuiltQuery & { execute(values: Values): Promise<unknown> },
) =>
  preparedStatement((session) => {
    const statement = build(session);
    return session.dialect === "sqlite"
      ? sqliteWrite(session, statement)
      : (values: Values) => statement.execute(values);
  });
