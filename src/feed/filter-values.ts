/** What the filters of lists offer: the values that events have. */
import type { Caller } from "../core/auth/caller.ts";
import { seesPersons } from "../core/auth/persons.ts";
import type { FeedContext } from "./context.ts";
import { kindsOfRuns } from "./kinds.ts";

type Reader = Pick<Caller, "projects">;

/** The actors of events, or the lanes, at most 200. */
export const listFilterValues = (
  { data }: Pick<FeedContext, "data">,
  { projects }: Reader,
  name: "actor" | "lane",
): Promise<string[]> => data.filterValues(projects, name);

/** The teams of events, and their people, of which a reader may see only themselves. */
export async function listOwnerValues(
  { data, config }: Pick<FeedContext, "data" | "config">,
  caller: Caller,
): Promise<{ teams: string[]; people: string[] }> {
  const [teams, people] = await Promise.all([
    data.filterValues(caller.projects, "team"),
    data.filterValues(caller.projects, "person"),
  ]);
  const isSeen = (person: string) => person === caller.person || seesPersons(caller, config);
  return { teams, people: people.filter(isSeen) };
}

/** The actors that report runs, at most 200. */
export const listAgents = ({ data }: Pick<FeedContext, "data">, { projects }: Reader): Promise<string[]> =>
  data.filterValues(projects, "actor", kindsOfRuns);
