import type { Session } from "./session.ts";

/** A statement that is built once for each connection: building one takes longer than running it. */
export function prepared<T>(build: (session: Session) => T): (session: Session) => T {
  const built = new WeakMap<Session["db"], T>();
  return (session) => {
    const known = built.get(session.db);
    if (known !== undefined) return known;
    const statement = build(session);
    built.set(session.db, statement);
    return statement;
  };
}
