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
import type { Direction } from "../dialect/index-range.ts";
import type { Session } from "../engine/session.ts";
import { allRows, literalCount } from "../query/statements.ts";

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

/** The years that a page can be in. */
export interface Years {
  first?: number;
  last?: number;
}

/**
 * The years as conditions that exclude partitions. They are literals: Postgres assumes that a range whose
 * bounds are parameters is half a percent of a partition, and would read a whole year by time and sort it,
 * though the index of the filter has the page in order (`bun run bench growth-partitions`).
 */
export const inYears = (ts: SQLWrapper, { first, last }: Years = {}): SQL[] => [
  ...(first === undefined ? [] : [sql`${ts} >= ${literalCount(startOf(first))}`]),
  ...(last === undefined ? [] : [sql`${ts} < ${literalCount(startOf(last + 1))}`]),
];

interface BoundedQuery {
  before?: Micros;
  after?: Micros;
  limit: number;
  years?: Years;
}

/**
 * Reads pages in the partitions where they can be: newest first, in the one where they begin, and in the
 * others only if it does not fill them.
 */
export function readFromPartitions({ dialect }: Session) {
  /** Of the pages so far: a statement for each year that a client names could be thousands. */
  let newest: Micros | undefined;
  return async <Query extends BoundedQuery>(
    query: Query,
    direction: Direction,
    read: (query: Query) => Promise<RenderedEvent[]>,
  ): Promise<RenderedEvent[]> => {
    if (!dialect.isPartitioned) return read(query);
    const years = newest === undefined ? {} : yearsOf(query, yearOf(newest));
    const begin = direction === "newest first" && newest ? (years.last ?? yearOf(newest)) : undefined;
    const inOne = begin === undefined ? null : beginningIn(begin, query, years);
    const first = inOne ? await read({ ...query, ...inOne }) : [];
    const page = first.length === query.limit ? first : await read({ ...query, years });
    if (page[0]) newest = Math.max(page[0].ts, newest ?? page[0].ts);
    return page;
  };
}

function yearsOf({ before, after }: BoundedQuery, newest: number): Years {
  const first = after === undefined ? firstYear - 1 : Math.min(yearOf(after), newest);
  const last = before === undefined ? newest : Math.max(yearOf(before - 1), firstYear - 1);
  return { ...(first >= firstYear && { first }), ...(last < newest && { last }) };
}

/** The query without the years before, unless it reaches back no further anyway. */
function beginningIn(first: number, { after }: BoundedQuery, years: Years) {
  const isFurther = after === undefined || after < startOf(first) - 1;
  return first >= firstYear && isFurther ? { after: startOf(first) - 1, years: { ...years, first } } : null;
}
