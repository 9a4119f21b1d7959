/** The feed, a page at a time. */
import type { Caller } from "../auth/caller.ts";
import type { Config } from "../config.ts";
import type { Data } from "../data.ts";
import { badRequest } from "../problem.ts";
import { ceilMicros, fromMicros, toMicros } from "../time.ts";
import { Json } from "../wire.ts";
import { type FeedFilter, type FeedPage, type FeedQuery, pickFilters } from "./schema.ts";

/** Newest first. */
export async function feedPage(data: Data, config: Config, query: FeedQuery, caller: Pick<Caller, "projects">): Promise<Json<FeedPage>> {
  const { limit = 50, before, after } = query;
  const { wires, count, oldest, more } = await data.feedPage(caller.projects, {
    ...filterOf(config, query),
    ...(before !== undefined && { before: ceilMicros(before) }),
    ...(after !== undefined && { after: toMicros(after) }),
    limit,
  });
  const nextBefore = more && oldest !== null ? JSON.stringify(fromMicros(oldest)) : "null";
  return new Json(`{"events":[${wires}],"count":${count},"next_before":${nextBefore}}`);
}

/** The filters of a query; a lane that the deployment does not have is an error. */
export function filterOf(config: Config, query: FeedFilter): FeedFilter {
  requireLane(config, query.lane);
  return pickFilters(query);
}

export function requireLane(config: Config, lane: string | null | undefined, field = "lane"): void {
  if (lane != null && !config.lanes.includes(lane)) throw badRequest(`${field} must be one of ${config.lanes.join(", ")}.`);
}
