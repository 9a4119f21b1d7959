import type { PreparedQuery } from "../dialect/client.ts";
import type { Session } from "../engine/session.ts";

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
export const preparedWrite = (build: (session: Session) => PreparedQuery) =>
  preparedStatement((session) => session.dialect.writer(session.db, build(session)));
