/** What the filters of lists offer: the values that events have. */
import type { Caller } from "../core/auth/caller.ts";
import type { FeedContext } from "./context.ts";
import { kindsOfRuns } from "./kinds.ts";

type Reader = Pick<Caller, "projects">;

/** The actors of events, or the lanes, at most 200. */
export const listFilterValues = (
  { data }: Pick<FeedContext, "data">,
  { projects }: Reader,
  name: "actor" | "lane",
): Promise<string[]> => data.filterValues(projects, name);

/** The actors that report runs, at most 200. */
export const listAgents = ({ data }: Pick<FeedContext, "data">, { projects }: Reader): Promise<string[]> =>
  data.filterValues(projects, "actor", kindsOfRuns);
