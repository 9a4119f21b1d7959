import type { Session } from "../engine/session.ts";
import { type BuiltQuery, sqliteWrite } from "./fast-statement.ts";

type Values = Record<string, unknown>;

/** A statement that is built once for each connection: building one takes longer than running it. */
export function preparedStatement<T>(build: (session: Session) => T): (session: Session) => T {
  const built = new WeakMap<Session["db"], T>();
  return (session) => {
    const known = built.get(session.db);
    if (known !== undefined) return known;
    const statement = build(session);
    built.set(session.db, statement);
    return statement;
  };
}

/**
 * The same of one that gives nothing back, for what every append asks: drizzle maps its values one by one.
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
