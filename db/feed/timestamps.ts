/** The unique timestamps of appended events. */
import { sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/statements.ts";

/** How many microseconds after a wanted time are read: one at first, then ever more if all of them are taken. */
const growth = 16;
/** More than are read for an append. */
const storedMax = 10_000_000;

/**
 * Assigns each event a unique timestamp: from `next` on for live events, and the first free microsecond from
 * its own time on for imported ones. Logs often tell times to the second only, so the times after a wanted
 * one are read too, those of all events at once.
 */
export async function assignTimestamps(
  session: Session,
  batch: readonly Pick<Appendable, "ts">[],
  next: Micros,
): Promise<Micros[]> {
  const wanted = Map.groupBy(
    batch.flatMap(({ ts }) => ts ?? []),
    (ts) => ts,
  );
  const known = new Map([...wanted].map(([ts, { length }]) => [ts, ts + (length > 1 ? length + growth : 1)]));
  const stored = new Set<Micros>();
  for (let open = [...known]; ; ) {
    if (open.length > 0)
      for (const { ts } of await timesWithin(session)({ list: JSON.stringify(open), limit: storedMax }))
        stored.add(ts);
    const { times, beyond } = assign(batch, next, stored, known);
    if (beyond.size === 0) return times;
    open = [...beyond].map((ts) => {
      const end = known.get(ts) as Micros;
      known.set(ts, ts + (end - ts) * growth);
      return [end, known.get(ts) as Micros];
    });
  }
}

/** @returns `beyond`: the wanted times whose events need later ones than are known to be free or taken */
function assign(
  batch: readonly Pick<Appendable, "ts">[],
  live: Micros,
  stored: ReadonlySet<Micros>,
  known: ReadonlyMap<Micros, Micros>,
): { times: Micros[]; beyond: Set<Micros> } {
  const taken = new Set<Micros>();
  const freeFrom = new Map<Micros, Micros>();
  const beyond = new Set<Micros>();
  let next = live;
  const times = batch.map(({ ts }) => {
    let time = ts === undefined ? next : (freeFrom.get(ts) ?? ts);
    while (taken.has(time) || stored.has(time)) time++;
    taken.add(time);
    if (ts === undefined) next = time + 1;
    else freeFrom.set(ts, time + 1);
    if (ts !== undefined && time >= (known.get(ts) as Micros)) beyond.add(ts);
    return time;
  });
  return { times, beyond };
}

/** Reads the timestamps of events within ranges, whose ends are exclusive. */
const timesWithin = preparedStatement(({ db, dialect, t: { events } }) => {
  const ranges = sql`(select cast(value ->> 0 as bigint) as first, cast(value ->> 1 as bigint) as until
    from ${dialect.jsonElements(sql.placeholder("list"))}) as ranges`;
  const within = sql`select e.ts from events as e where e.ts >= ranges.first and e.ts < ranges.until`;
  const { ts } = events;
  const query = db
    .select({ ts })
    .from(events)
    .where(dialect.isIn(ts, dialect.forEachRow(ranges, ["ts"], within)))
    .limit(sql.placeholder("limit"));
  return dialect.reader<{ ts: Micros }>(db, query.prepare());
});
