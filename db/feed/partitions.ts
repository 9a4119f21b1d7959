/**
 * A log with a partition for each year (UTC), as `SVC_POSTGRES_PARTITIONS` gives it to a new database. The
 * append with the first event of a year adds its partition, under the write lock, so no event is ever without
 * one, neither at the turn of the year nor in a backfill or a restore. What is unique over all years is in
 * the table `event_keys`, which triggers keep.
 *
 * A statement plans and opens every partition that its bounds do not exclude. So pages look in one first, and
 * a partition is as long as a year: with 60 months, a page with a filter took four to six times the CPU.
 */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import type { RenderedEvent } from "../../src/feed/rows.ts";
import type { Session } from "../engine/session.ts";
import { allRows } from "../query/sql.ts";

const yearOf = (time: Micros): number => new Date(time / 1000).getUTCFullYear();
const startOf = (year: number): Micros => Date.UTC(year) * 1000;

/** Earlier events share one partition: wrong times must not add thousands. */
const firstYear = 2020;

/** Adds the partitions of events that are about to be stored, in the transaction that stores them. */
export async function addPartitions(session: Session, times: readonly Micros[]): Promise<void> {
  if (!session.dialect.isPartitioned) return;
  for (const year of new Set(times.map(yearOf))) {
    if (year < firstYear || session.knownYears.has(year)) continue;
    const [first, until] = [startOf(year), startOf(year + 1)];
    await allRows(
      session,
      sql`select add_partition(${`events_${year}`}, ${first}::bigint, ${until}::bigint)`,
    );
    session.knownYears.add(year);
  }
}

/** What has the ids, keys, and deliveries of all events, under the name of their table. */
export const eventKeys = ({ dialect, t }: Session) =>
  dialect.isPartitioned ? sql`event_keys as events` : t.events;

/** Joins rows that have ids of events to the log. @param id of such a row */
export function joinedToLog(
  { dialect, t: { events } }: Session,
  rows: SQL,
  id: SQLWrapper,
): { from: SQL; isSame: SQL } {
  if (!dialect.isPartitioned) return { from: rows, isSame: sql`${events.id} = ${id}` };
  // By the time, which tells the partition: every one would be searched for the id.
  const from = sql`${rows} join event_keys as known on known.id = ${id}`;
  return { from, isSame: sql`${events.ts} = known.ts` };
}

interface Bounds {
  before?: Micros | undefined;
  after?: Micros | undefined;
}

/** The bounds of a page as conditions that exclude partitions, beside one that does not. */
export function partitionBounds({ dialect }: Session, { before, after }: Bounds): SQL[] {
  if (!dialect.isPartitioned) return [];
  return [
    ...(before === undefined ? [] : [sql`ts < ${before}`]),
    ...(after === undefined ? [] : [sql`ts > ${after}`]),
  ];
}

/** Reads pages, newest first, in the partition where they begin, and in all if it does not fill them. */
export function readFromPartitions({ dialect }: Session) {
  /** Of the pages so far. */
  let newest: Micros | undefined;
  return async <Query extends Bounds & { limit: number }>(
    query: Query,
    read: (query: Query) => Promise<RenderedEvent[]>,
  ): Promise<RenderedEvent[]> => {
    if (!dialect.isPartitioned) return read(query);
    const { before = newest, after = Number.NEGATIVE_INFINITY, limit } = query;
    // Exclusive, though an event may have that very time: with one less, Postgres opens the year before, too.
    const begin = before === undefined ? after : startOf(yearOf(Math.min(before, newest ?? before)));
    const first = begin > after ? await read({ ...query, after: begin }) : [];
    const page = first.length === limit ? first : await read(query);
    if (page[0]) newest = Math.max(page[0].ts, newest ?? page[0].ts);
    return page;
  };
}
