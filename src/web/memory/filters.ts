/** The filters of the memory page; each tab has those that its list understands. */
import { decisionStatuses } from "../../memory/schema.ts";
import type { FilterFields } from "../lists/fields.tsx";

/** A day as a filter: the end of that day in UTC. Anything else is passed on, and the operation rejects it. */
export const endOfDay = (day: string | undefined): string | undefined =>
  day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.999999Z` : day;

interface Shown {
  tab: string | null;
  slugs: readonly string[];
  project: string | undefined;
  isSearch: boolean;
}

/** The fields of what is shown, in this order. */
export const memoryFields = ({ tab, slugs, project, isSearch }: Shown): FilterFields => ({
  project:
    tab === "guidance"
      ? null
      : { label: "Project", options: slugs, ...(tab === "brief" && { byDefault: project ?? "" }) },
  intent: tab === "brief" ? { label: "Task", placeholder: "what the agent is about to do" } : null,
  issue: tab === "brief" ? { label: "Issue", as: "number", placeholder: "#" } : null,
  query:
    tab === "digests" || tab === "brief"
      ? null
      : { label: "Search", as: "search", placeholder: "words, in any order" },
  status:
    tab === "decisions" && !isSearch
      ? { label: "Status", options: decisionStatuses, byDefault: "current" }
      : null,
  as_of: isSearch || tab === "decisions" ? { label: "As of", as: "date" } : null,
});
