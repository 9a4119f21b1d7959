/** The filters of the memory page; each tab has those that its list understands. */
import { decisionStatuses } from "../../memory/schema.ts";
import type { FilterFields } from "../lists/fields.tsx";

/** A day as a filter: the end of that day in UTC. Anything else is passed on, and the operation rejects it. */
export const endOfDay = (day: string | undefined): string | undefined =>
  day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.999999Z` : day;

export const decisionGroups = ["project", "standing", "nothing"] as const;
export type DecisionGroup = (typeof decisionGroups)[number];

/** In one project its decisions stand by who made them. */
export const defaultGroup = (project: string | undefined): DecisionGroup =>
  project === undefined ? "project" : "standing";

export const decisionSorts = {
  newest: "newest",
  oldest: "oldest",
  most_used: "most used",
  least_used: "least used",
} as const;
export type DecisionSort = keyof typeof decisionSorts;

interface Shown {
  tab: string | null;
  slugs: readonly string[];
  project: string | undefined;
  isSearch: boolean;
}

/** Whether a tab is of one project. */
export const isOfOne = (tab: string | null): boolean => tab === "brief" || tab === "digests";

/** The fields of what is shown, in this order. */
export const memoryFields = ({ tab, slugs, project, isSearch }: Shown): FilterFields => ({
  project:
    tab === "guidance"
      ? null
      : { label: "Project", options: slugs, ...(isOfOne(tab) && { byDefault: project ?? "" }) },
  intent: tab === "brief" ? { label: "Task", placeholder: "what the agent is about to do" } : null,
  issue: tab === "brief" ? { label: "Issue", as: "number", placeholder: "#" } : null,
  task: tab === "brief" ? { label: "Task key", placeholder: "PROJ-123" } : null,
  query:
    tab === "digests" || tab === "brief"
      ? null
      : { label: "Search", as: "search", placeholder: "words, in any order" },
  status:
    tab === "decisions" && !isSearch
      ? { label: "Status", options: decisionStatuses, byDefault: "current" }
      : null,
  group:
    tab === "decisions" && !isSearch
      ? { label: "Group by", options: decisionGroups, byDefault: defaultGroup(project) }
      : null,
  sort:
    tab === "decisions" && !isSearch
      ? {
          label: "Sort by",
          options: Object.keys(decisionSorts),
          byDefault: "newest",
          nameOf: (value) => decisionSorts[value as DecisionSort] ?? value,
        }
      : null,
  as_of: isSearch || tab === "decisions" ? { label: "As of", as: "date" } : null,
});
