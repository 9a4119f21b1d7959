/** The feed, a page at a time. */
import type { Caller } from "../auth/caller.ts";
import type { Config } from "../config.ts";
import type { Data } from "../data.ts";
import { cursorOf, readCursor } from "../lib/cursor.ts";
import { ceilMicros, fromMicros, type Micros, toMicros } from "../lib/time.ts";
import { badRequest } from "../problem.ts";
import { Json } from "../wire.ts";
import { type FeedFilter, type FeedPage, type FeedQuery, pickFilters } from "./schema.ts";

/** Newest first. */
export async function feedPage(
  data: Data,
  config: Config,
  query: FeedQuery,
  caller: Pick<Caller, "projects">,
): Promise<Json<FeedPage>> {
  const { limit = 50, after } = query;
  const before = beforeOf(query);
  const { wires, count, oldest, more } = await data.feedPage(caller.projects, {
    ...filterOf(config, query),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after: toMicros(after) }),
    limit,
  });
  const [cursor, instant] =
    more && oldest !== null ? [`"${cursorOf(oldest)}"`, `"${fromMicros(oldest)}"`] : ["null", "null"];
  return new Json(`{"events":[${wires}],"count":${count},"next_cursor":${cursor},"next_before":${instant}}`);
}

/** The first instant behind a page. A cursor and `before` are both upper bounds: the earlier one holds. */
export function beforeOf({ cursor, before }: Pick<FeedQuery, "cursor" | "before">): Micros | undefined {
  const bounds = [
    before === undefined ? [] : ceilMicros(before),
    cursor === undefined ? [] : (readCursor(cursor).ts ?? earliest),
  ].flat();
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}
const earliest = Number.MIN_SAFE_INTEGER;

/** The filters of a query; a lane that the deployment does not have is an error. */
export function filterOf(config: Config, query: FeedFilter): FeedFilter {
  requireLane(config, query.lane);
  return pickFilters(query);
}

export function requireLane(config: Config, lane: string | null | undefined, field = "lane"): void {
  if (lane != null && !config.lanes.includes(lane))
    throw badRequest(`${field} must be one of ${config.lanes.join(", ")}.`);
}
