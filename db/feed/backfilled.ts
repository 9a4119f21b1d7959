/** Events that were backfilled: they notify no one. */
import { and, type Column, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import type { Session } from "../engine/session.ts";
import { elements } from "../query/sql.ts";

/** By the beginning of the payload, which can be large. */
export const isBackfilled = (payload: Column): SQL<unknown> => sql`${payload} like '{"past":true%'`;

export async function backfilledAt(
  { db, dialect, t: { events } }: Session,
  times: readonly Micros[],
): Promise<ReadonlySet<Micros>> {
  if (times.length === 0) return new Set();
  const wanted = dialect.isIn(events.ts, sql`select cast(value as bigint) from ${elements(dialect, times)}`);
  const rows = await db
    .select({ ts: events.ts })
    .from(events)
    .where(and(wanted, isBackfilled(events.payload)));
  return new Set(rows.map(({ ts }) => ts));
}
