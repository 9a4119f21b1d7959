/** @jsxImportSource preact */
/** The memory page: decisions, preferences, vendor guidance, digests by day, and the search in all of them. */
import type { VNode } from "preact";
import { listProjects } from "../../operations/projects.ts";
import type { ProjectList } from "../../projects/schema.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { RecordForm, type RefusedDecision } from "./decision-forms.tsx";
import { decisionsSection } from "./decisions.tsx";
import { digestsSection } from "./digests.tsx";
import { Filters } from "./filters.tsx";
import { guidanceSection } from "./guidance.tsx";
import { preferencesSection } from "./preferences.tsx";
import { searchSection } from "./search-hits.tsx";

const tabs = {
  decisions: "Decisions",
  preferences: "Preferences",
  guidance: "Guidance",
  digests: "Digests",
} as const;
type Tab = keyof typeof tabs;
const isTab = (name: string | null): name is Tab => name !== null && Object.hasOwn(tabs, name);

export const memoryParameters = [
  ...["view", "project", "query", "status", "as_of", "cursor", "model", "before"],
] as const;

const sections: Record<Tab, (view: View, project: string | undefined) => Promise<VNode>> = {
  decisions: decisionsSection,
  preferences: preferencesSection,
  guidance: guidanceSection,
  digests: digestsSection,
};

/** @param refused a decision sent from this page that was not recorded */
export async function memoryPage(view: View, refused?: RefusedDecision): Promise<Page> {
  const { url } = view;
  const { query, project = refused?.project } = filtersOf(url, ["query", "project"]);
  const named = url.searchParams.get("view");
  const tab = isTab(named) ? named : query ? null : "decisions";
  const isSearch = query !== undefined && tab !== "digests";
  const [{ projects }, section] = await Promise.all([
    hasScope(view, "feed:read")
      ? callOperation<ProjectList>(view, listProjects)
      : { projects: [] as ProjectList["projects"] },
    isSearch ? searchSection(view, query, tab, project) : sections[tab ?? "decisions"](view, project),
  ]);
  const slugs = projects.map(({ slug }) => slug);
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
          {Object.entries(tabs).map(([name, label]) => (
            <a key={name} href={tabUrl(url, name)} aria-current={name === tab ? "true" : undefined}>
              {label}
            </a>
          ))}
        </nav>
      </div>
      <Filters view={view} tab={tab} slugs={slugs} project={project} isSearch={isSearch} />
      {tab === "decisions" && !isSearch && (
        <RecordForm view={view} slugs={slugs} project={project} refused={refused} />
      )}
      {section}
    </div>
  );
  return { title: "Memory", navEntry: "memory", body };
}

/** The URL of a tab: keeps the project and, where it has results, the search. */
const tabUrl = (url: URL, view: string | null): string =>
  urlWith(new URL("/memory", url), {
    ...filtersOf(url, view === "digests" ? ["project"] : ["project", "query"]),
    view,
  });
