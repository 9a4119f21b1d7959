/** What the filters of lists offer: the values that events have. */
import type { Caller, Viewer } from "../core/auth/caller.ts";
import { seesPersons } from "../core/auth/persons.ts";
import type { FeedContext } from "./context.ts";
import { kindsOfRuns } from "./kinds.ts";

/** The actors of events, or the lanes, at most 200. */
export const listFilterValues = (
  { data }: Pick<FeedContext, "data">,
  { projects }: Viewer,
  name: "actor" | "lane",
): Promise<string[]> => data.filterValues(projects, name);

/** By the id of a person. */
export type FullNames = ReadonlyMap<string, string>;

/** The full names of people, of which a reader may see only their own. */
export async function listFullNames(
  { data, config }: Pick<FeedContext, "data" | "config">,
  caller: Caller,
): Promise<FullNames> {
  const people = await data.people();
  return new Map(
    people.flatMap(({ id, name }) => (name && isSeen(id, caller, config) ? [[id, name] as const] : [])),
  );
}

const isSeen = (person: string, caller: Caller, config: FeedContext["config"]): boolean =>
  person === caller.person || seesPersons(caller, config);

/** The teams of events, and their people, of which a reader may see only themselves. */
export async function listOwnerValues(
  { data, config }: Pick<FeedContext, "data" | "config">,
  caller: Caller,
): Promise<{ teams: string[]; people: string[]; names: FullNames }> {
  const [teams, people] = await Promise.all([
    data.filterValues(caller.projects, "team"),
    data.filterValues(caller.projects, "person"),
  ]);
  const visible = people.filter((person) => isSeen(person, caller, config));
  const names = visible.length > 0 ? await listFullNames({ data, config }, caller) : noNames;
  return { teams, people: visible, names };
}

const noNames: FullNames = new Map();

/** The actors that report runs, at most 200. */
export const listAgents = ({ data }: Pick<FeedContext, "data">, { projects }: Viewer): Promise<string[]> =>
  data.filterValues(projects, "actor", kindsOfRuns);
