/** Events that were backfilled: they notify no one. */
import { and, type Column, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import type { Session } from "../engine/session.ts";
import { elements, preparedStatement } from "../query/statements.ts";

/** By the beginning of the payload, which can be large. */
export const isBackfilled = (payload: Column): SQL<unknown> => sql`${payload} like '{"past":true%'`;

const selectBackfilled = preparedStatement(({ db, dialect, t: { events } }) => {
  const times = sql`select cast(value as bigint) from ${elements(dialect, sql.placeholder("times"))}`;
  return db
    .select({ ts: events.ts })
    .from(events)
    .where(and(dialect.isIn(events.ts, times), isBackfilled(events.payload)))
    .prepare();
});

export async function backfilledAt(session: Session, times: readonly Micros[]): Promise<ReadonlySet<Micros>> {
  if (times.length === 0) return new Set();
  const rows = await selectBackfilled(session).execute({ times: JSON.stringify(times) });
  return new Set(rows.map(({ ts }) => ts));
}
