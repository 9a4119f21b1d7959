/** The log in slices of whole UTC days: a statement for each reads a bounded part of a large one. */
import { type SQL, sql } from "drizzle-orm";
import { dayMicros, dayOf, type Micros } from "../../src/core/lib/time.ts";
import type { Session } from "../engine/session.ts";
import { allRows } from "../query/statements.ts";

/** Events of a slice, unless a day has more. Postgres keeps what it reads of so many in 20 MB. */
const usualEvents = 50_000;

export interface LogSlice {
  /** The condition on the `ts` of its events, and that on the days of what is summed from them. */
  events: SQL;
  days: SQL;
  /** Of the log, with its own events. */
  share: number;
}

/** Together, they have all days: those before the first event and after the last one, too. */
export async function* slicesOfLog(session: Session, eventsMax = usualEvents): AsyncGenerator<LogSlice> {
  const total = await readNumber(session, sql`select id from feed_head`);
  let eventsSoFar = 0;
  for (let from: Micros | null = null; ; ) {
    const since = from === null ? sql`1 = 1` : sql`ts >= ${from}`;
    const next = await readNumber(
      session,
      sql`select ts from events where ${since} order by ts limit 1 offset ${sql.raw(`${eventsMax}`)}`,
    );
    const until: Micros | null = next === null ? null : endOf(from, next);
    const events = until === null ? since : sql`${since} and ts < ${until}`;
    const days = sql.join(
      [
        ...(from === null ? [] : [sql`day >= ${dayOf(from)}`]),
        ...(until === null ? [] : [sql`day < ${dayOf(until)}`]),
        sql`1 = 1`,
      ],
      sql` and `,
    );
    if (until !== null)
      eventsSoFar += (await readNumber(session, sql`select count(*) from events where ${events}`)) ?? 0;
    yield { events, days, share: until === null ? 1 : Math.min(1, eventsSoFar / (total || 1)) };
    if (until === null) return;
    from = until;
  }
}

/** The start of the day of an event, or the next one if the slice would have no day. */
function endOf(from: Micros | null, ts: Micros): Micros {
  const start = Math.floor(ts / dayMicros) * dayMicros;
  return from === null || start > from ? start : start + dayMicros;
}

async function readNumber(session: Session, query: SQL): Promise<number | null> {
  const [row] = await allRows<Record<string, number | string>>(session, query);
  return row ? Number(Object.values(row)[0]) : null;
}
