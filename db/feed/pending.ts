/**
 * Whether events were pending when a statement read rows that are derived from them (see derived-rows.ts).
 * The statement itself tells: a check before each read would cost a round trip, and one after it could miss
 * what was derived in between.
 */

/** The column of such a statement. SQLite has no booleans. */
export interface Marked {
  pending: boolean | number | null;
}

const incomplete = new WeakSet<object>();

/** Returns the rows without the column; the list is `isIncomplete` if events were pending. */
export function unmarked<Row extends object>(rows: readonly (Row & Marked)[]): Row[] {
  return markIncomplete(
    rows,
    rows.map(({ pending: _, ...row }) => row as unknown as Row),
  );
}

/** Of a statement that joins rows to the head of the feed, to which there may be none: `key` is null then. */
export const joinedRows = <Row extends object>(rows: readonly Marked[], key: keyof Row): Row[] =>
  markIncomplete(
    rows,
    unmarked(rows as readonly (Row & Marked)[]).filter((row) => row[key] !== null),
  );

/** Marks what was made of the rows. */
export function markIncomplete<Result extends object>(rows: readonly Marked[], result: Result): Result {
  if (rows[0]?.pending) incomplete.add(result);
  return result;
}

/** Marks what was made of such results. */
export function joinIncomplete<Result extends object>(read: readonly object[], result: Result): Result {
  if (read.some(isIncomplete)) incomplete.add(result);
  return result;
}

/** Whether the result of a read lacks events that were appended before. */
export const isIncomplete = (result: object): boolean => incomplete.has(result);
