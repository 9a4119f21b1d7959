/** A stretch of an index: the rows of one value, in the order of their time, from one instant to another. */
import { and, gt, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Session } from "../engine/session.ts";

export type Direction = "newest first" | "oldest first";

export interface Stretch {
  /** Absent: of all values. */
  of?: { column: SQLWrapper; value: SQLWrapper } | undefined;
  /** There is no other index that Postgres could choose. */
  isOfOne?: boolean;
  ts: SQLWrapper;
  before: SQLWrapper | undefined;
  after: SQLWrapper | undefined;
}

/**
 * Postgres thinks that rows of a value are spread evenly, so where many have it, it would rather walk the
 * whole log from its end: past everything since a project fell silent. A range of pairs says the same, and
 * only the index of the pair has its order. The range has its ends: without them Postgres thinks that of a
 * frequent value it is nearly empty, and sorts all of it.
 */
export function stretch(
  { dialect }: Pick<Session, "dialect">,
  { of, isOfOne = false, ts, before, after }: Stretch,
  direction: Direction,
) {
  const towards = sql.raw(direction === "newest first" ? "desc" : "asc");
  const inTime = [before && lt(ts, before), after && gt(ts, after)];
  if (!of || isOfOne || dialect === "sqlite")
    return { where: and(of && sql`${of.column} = ${of.value}`, ...inTime), order: sql`${ts} ${towards}` };
  const pair = sql`(${of.column}, ${ts})`;
  const bound = (instant: SQL) => sql`(${of.value}, ${instant})`;
  const last = before ? sql`${before}::bigint - 1` : latest;
  const first = after ? sql`${after}::bigint + 1` : earliest;
  return {
    where: and(sql`${pair} <= ${bound(last)}`, sql`${pair} >= ${bound(first)}`),
    order: sql`${of.column} ${towards}, ${ts} ${towards}`,
  };
}

export const latest = sql.raw("9223372036854775807");
export const earliest = sql.raw("(-9223372036854775807)");
