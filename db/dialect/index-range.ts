/** An index range: the rows with one value, or with any, between two timestamps and sorted by timestamp. */
import { and, gt, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";

export type Direction = "newest first" | "oldest first";

export interface IndexRange {
  /** The indexed column and its value; absent means rows with any value. */
  key?: { column: SQLWrapper; value: SQLWrapper } | undefined;
  /** No other index could serve the query, so Postgres cannot choose a wrong one. */
  isOnlyIndex?: boolean;
  ts: SQLWrapper;
  before: SQLWrapper | undefined;
  after: SQLWrapper | undefined;
}

/** The condition that selects an index range, and the order of its rows. */
export interface Range {
  where: SQL | undefined;
  order: SQL;
}

/** Reads an index range by an equality, both bounds exclusive. */
export function equalityRange({ key, ts, before, after }: IndexRange, direction: Direction): Range {
  return {
    where: and(key && sql`${key.column} = ${key.value}`, before && lt(ts, before), after && gt(ts, after)),
    order: sql`${ts} ${sqlOrder(direction)}`,
  };
}

/**
 * Reads an index range by a comparison of row values, both bounds exclusive.
 *
 * Postgres assumes that the rows with a value are spread evenly over time. For a frequent value it would
 * rather scan the whole log backward by timestamp, past everything appended since a project went silent. A
 * row comparison, `(column, ts) <= (value, bound)`, selects the same rows, and only the composite index has
 * its order. Both bounds are always given: with one of them missing, Postgres estimates that the range of a
 * frequent value is nearly empty, and sorts all of it.
 */
export function rowComparisonRange(range: IndexRange, direction: Direction): Range {
  const { key, isOnlyIndex = false, ts, before, after } = range;
  if (!key || isOnlyIndex) return equalityRange(range, direction);
  const sortOrder = sqlOrder(direction);
  const pair = sql`(${key.column}, ${ts})`;
  const bound = (timestamp: SQL) => sql`(${key.value}, ${timestamp})`;
  const last = before ? sql`${before}::bigint - 1` : maxTimestamp;
  const first = after ? sql`${after}::bigint + 1` : minTimestamp;
  return {
    where: and(sql`${pair} <= ${bound(last)}`, sql`${pair} >= ${bound(first)}`),
    order: sql`${key.column} ${sortOrder}, ${ts} ${sortOrder}`,
  };
}

/** The direction as SQL. */
export const sqlOrder = (direction: Direction): SQL => sql.raw(direction === "newest first" ? "desc" : "asc");

export const maxTimestamp = sql.raw("9223372036854775807");
export const minTimestamp = sql.raw("(-9223372036854775807)");
