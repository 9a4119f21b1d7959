/**
 * The memory page: decisions, preferences, vendor guidance, digests by day, the search in all of them, and
 * the brief that they end up in.
 */

import type { VNode } from "preact";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import type { ModelList } from "../../memory/list-schemas.ts";
import { getModels } from "../../memory/operations.ts";
import { hasScope } from "../layout.tsx";
import { Found, ListFilters, listScript } from "../lists/filters.tsx";
import { listOrRefused, RefusedFilter } from "../lists/refused-filter.ts";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { briefSection } from "./brief.tsx";
import { RecordForm, type RefusedDecision } from "./decision-forms.tsx";
import { decisionsSection } from "./decisions.tsx";
import { digestsSection } from "./digests.tsx";
import { isOfOne, memoryFields } from "./filters.ts";
import { guidanceSection } from "./guidance.tsx";
import { preferenceParameters, preferencesSection } from "./preferences.tsx";
import { searchSection } from "./search-hits.tsx";

const tabs = {
  decisions: "Decisions",
  preferences: "Preferences",
  guidance: "Guidance",
  digests: "Digests",
  brief: "Brief",
} as const;
type Tab = keyof typeof tabs;
const isTab = (name: string | null): name is Tab => name !== null && Object.hasOwn(tabs, name);

export const memoryParameters = [
  ...["view", "project", "query", "status", "as_of", "cursor", "model", "before", "intent", "issue", "with"],
  ...["task", "group", "sort", ...preferenceParameters],
] as const;

const sections: Record<Tab, (view: View, project: string | undefined) => Promise<VNode>> = {
  decisions: decisionsSection,
  preferences: preferencesSection,
  guidance: guidanceSection,
  digests: digestsSection,
  brief: briefSection,
};
/** These have no search. */
const unsearched: readonly (Tab | null)[] = ["digests", "brief"];

/** @param refused a decision sent from this page that was not recorded */
export async function memoryPage(view: View, refused?: RefusedDecision): Promise<Page> {
  const { url } = view;
  const { query, project: chosen = refused?.project } = filtersOf(url, ["query", "project"]);
  const named = url.searchParams.get("view");
  const tab = isTab(named) ? named : query ? null : "decisions";
  const isSearch = query !== undefined && !unsearched.includes(tab);
  const [slugs, { models }] = await Promise.all([
    hasScope(view, "feed:read")
      ? callOperation<ProjectList>(view, listProjects).then(({ projects }) =>
          projects.map(({ slug }) => slug),
        )
      : [],
    callOperation<ModelList>(view, getModels),
  ]);
  // The page of what else svc can do leads to the guidance of no model yet.
  const shown = Object.entries(tabs).filter(
    ([name]) => name !== "guidance" || name === tab || models.length > 0,
  );
  const project = chosen ?? (isOfOne(tab) ? slugs[0] : undefined);
  const fields = memoryFields({ tab, slugs, project, isSearch });
  const section = await listOrRefused(view, Object.keys(fields), () =>
    isSearch ? searchSection(view, query, tab, project) : sections[tab ?? "decisions"](view, project),
  );
  const refusedFilter = section instanceof RefusedFilter ? section : undefined;
  const filters = { url, fields, keeps: ["view"], refused: refusedFilter };
  const body = (
    <div class="memory">
      <div class="head">
        <h1>Memory</h1>
        <nav class="tabs" aria-label="Kind of memory">
          {isSearch && (
            <a href={tabUrl(url, null)} aria-current={tab === null ? "true" : undefined}>
              All
            </a>
          )}
          {shown.map(([name, label]) => (
            <a key={name} href={tabUrl(url, name)} aria-current={name === tab ? "true" : undefined}>
              {label}
            </a>
          ))}
        </nav>
      </div>
      <ListFilters {...filters} loads />
      {tab === "decisions" && !isSearch && (
        <RecordForm view={view} slugs={slugs} project={project} refused={refused} />
      )}
      <Found {...filters}>{section instanceof RefusedFilter ? null : section}</Found>
    </div>
  );
  const status = refusedFilter?.status ?? 200;
  return {
    title: "Memory",
    navEntry: "memory",
    status,
    body,
    islands: tab === "brief" ? [listScript, "copy.js"] : [listScript],
  };
}

/** The URL of a tab: keeps the project and, where it has results, the search. */
const tabUrl = (url: URL, view: string | null): string =>
  urlWith(new URL("/memory", url), {
    ...filtersOf(url, view === "digests" || view === "brief" ? ["project"] : ["project", "query"]),
    view,
  });
