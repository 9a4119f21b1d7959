/** Reads the feed page by page, newest first. */
import type { Viewer } from "../core/auth/caller.ts";
import type { Config } from "../core/config.ts";
import { cursorOf, readCursor } from "../core/lib/cursor.ts";
import { ceilMicros, fromMicros, type Micros, toMicros } from "../core/lib/time.ts";
import { badRequest } from "../core/problem.ts";
import { type Json, jsonList, jsonObject } from "../core/rendered-json.ts";
import { valuesOf } from "../core/wire.ts";
import { type FeedFilter, feedFilterNames, pickFilters } from "./filters.ts";
import type { FeedData } from "./port.ts";
import type { FeedQuery } from "./requests.ts";
import type { FeedPage } from "./schema.ts";

/**
 * Returns one page of the feed, newest first. `next_cursor` and `next_before` are null on the last page.
 * @throws 400 for an unknown lane
 */
export async function feedPage(
  data: FeedData,
  config: Config,
  query: FeedQuery,
  caller: Viewer,
): Promise<Json<FeedPage>> {
  const { limit = 50, after } = query;
  const before = upperBound(query);
  const rows = await data.feed(caller.projects, {
    ...filterOf(config, query),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after: toMicros(after) }),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? page.at(-1)?.ts : undefined;
  return jsonObject<FeedPage>({
    events: jsonList(page.map(({ wire }) => wire).join()),
    count: page.length,
    next_cursor: next === undefined ? null : cursorOf(next),
    next_before: next === undefined ? null : fromMicros(next),
  });
}

/**
 * Returns the exclusive upper bound of a page. If both `cursor` and `before` are given, the earlier one
 * applies.
 */
export function upperBound({ cursor, before }: Pick<FeedQuery, "cursor" | "before">): Micros | undefined {
  const bounds = [
    before === undefined ? [] : ceilMicros(before),
    cursor === undefined ? [] : (readCursor(cursor).ts ?? earliest),
  ].flat();
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}
const earliest = Number.MIN_SAFE_INTEGER;

/** More values than a person or program chooses one by one; it bounds the work of a page. */
const filterValuesMax = 50;

/**
 * Returns the filters of a query.
 * @throws 400 for a lane that this deployment does not have, and for too many values
 */
export function filterOf(config: Config, query: FeedFilter): FeedFilter {
  for (const name of feedFilterNames)
    if (valuesOf<string | number>(query[name]).length > filterValuesMax)
      throw badRequest(`${name} must be at most ${filterValuesMax} values.`);
  for (const lane of valuesOf(query.lane)) requireLane(config, lane);
  return pickFilters(query);
}

/** Throws 400, naming `field`, if this deployment does not have the lane. */
export function requireLane(config: Config, lane: string | null | undefined, field = "lane"): void {
  if (lane != null && !config.lanes.includes(lane))
    throw badRequest(`${field} must be one of ${config.lanes.join(", ")}.`);
}
