/** The part of the list of runs that a query names by time. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { RunQuery } from "../../../src/feed/rows.ts";
import { startOfMinute } from "../../../src/feed/runs/position.ts";
import type { ListBounds as BoundsSql } from "./task-positions.ts";

type Query = Pick<RunQuery, "before" | "eventAfter" | "eventBefore">;

export interface ListBounds {
  before?: Micros;
  after?: Micros;
}

/** The bounds of `listed_at`, both exclusive. It is not after the newest event, but in the same minute. */
export function listBounds({ before, eventAfter, eventBefore }: Query): ListBounds {
  const ends = [before, eventBefore].filter((end) => end !== undefined);
  return {
    ...(ends.length > 0 && { before: Math.min(...ends) }),
    ...(eventAfter !== undefined && { after: startOfMinute(eventAfter) - 1 }),
  };
}

export const boundsSql = ({ before, after }: ListBounds): BoundsSql => ({
  before: before === undefined ? undefined : sql`${before}`,
  after: after === undefined ? undefined : sql`${after}`,
});

/** The conditions on the newest event. @param time the column `last_event_at` */
export const eventConditions = (time: SQLWrapper, { eventAfter, eventBefore }: Query): SQL[] => [
  ...(eventAfter === undefined ? [] : [sql`${time} > ${eventAfter}`]),
  ...(eventBefore === undefined ? [] : [sql`${time} < ${eventBefore}`]),
];
