/** Filters by team and person. Where work has none, `Field` shows nothing. */
import type { FullNames } from "../../feed/filter-values.ts";
import type { FilterField } from "./fields.tsx";

export interface Owners {
  teams: readonly string[];
  people: readonly string[];
  names: FullNames;
}

export const ownerFields = ({ teams, people, names }: Owners) =>
  ({
    team: { label: "Team", options: teams },
    person: { label: "Person", options: people, nameOf: (id) => personName(id, names) },
  }) satisfies Record<string, FilterField>;

/** The full name; the id of a person without one. Of two people of one name, both are told apart by their id. */
export function personName(id: string, names: FullNames): string {
  const name = names.get(id);
  if (name === undefined) return id;
  return [...names].some(([other, its]) => other !== id && its === name) ? `${name} (${id})` : name;
}

export const noOwners: Owners = { teams: [], people: [], names: new Map() };
