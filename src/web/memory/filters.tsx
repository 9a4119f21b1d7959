/** @jsxImportSource preact */
/** The filters of the memory page; each tab has those that its list understands. */
import { decisionStatuses } from "../../memory/schema.ts";
import { Select } from "../layout.tsx";
import { filtersOf, type View } from "../view.ts";

interface FiltersProps {
  view: View;
  tab: string | null;
  slugs: string[];
  project: string | undefined;
  isSearch: boolean;
}

/** A day as a filter: the end of that day in UTC. Anything else is passed on, and the operation rejects it. */
export const endOfDay = (day: string | undefined): string | undefined =>
  day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.999999Z` : day;

export function Filters({ view: { url }, tab, slugs, project, isSearch }: FiltersProps) {
  const names = ["project", "query", "status", "as_of", "intent", "issue"] as const;
  const { query, status, as_of, intent, issue } = filtersOf(url, names);
  const hasDay = isSearch || tab === "decisions";
  const isFiltered = names.some((name) => url.searchParams.get(name));
  return (
    <form class="filters" method="get" action="/memory">
      {tab !== null && (tab !== "decisions" || isSearch) && <input type="hidden" name="view" value={tab} />}
      {slugs.length > 0 && tab !== "guidance" && (
        <Select name="project" label="Project" value={project} options={slugs} hasAll={tab !== "brief"} />
      )}
      {tab === "brief" && (
        <>
          <label class="grow">
            Task <input name="intent" value={intent ?? ""} placeholder="what the agent is about to do" />
          </label>
          <label>
            Issue <input type="number" name="issue" min={1} value={issue ?? ""} placeholder="#" />
          </label>
        </>
      )}
      {tab !== "digests" && tab !== "brief" && (
        <label class="grow">
          Search <input type="search" name="query" value={query ?? ""} placeholder="words, in any order" />
        </label>
      )}
      {tab === "decisions" && !isSearch && (
        <Select
          name="status"
          label="Status"
          value={status ?? "current"}
          options={decisionStatuses}
          hasAll={false}
        />
      )}
      {hasDay && (
        <label>
          As of <input type="date" name="as_of" value={as_of ?? ""} />
        </label>
      )}
      <button type="submit">Apply</button>
      {isFiltered && (
        <a class="clear" href={tab === null || tab === "decisions" ? "/memory" : `/memory?view=${tab}`}>
          Clear
        </a>
      )}
    </form>
  );
}
