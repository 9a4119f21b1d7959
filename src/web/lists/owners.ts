/** Filters by team and person. Where work has none, `Field` shows nothing. */
import type { FilterField } from "./fields.tsx";

export interface Owners {
  teams: readonly string[];
  people: readonly string[];
}

export const ownerFields = ({ teams, people }: Owners) =>
  ({
    team: { label: "Team", options: teams },
    person: { label: "Person", options: people },
  }) satisfies Record<string, FilterField>;

export const noOwners: Owners = { teams: [], people: [] };
