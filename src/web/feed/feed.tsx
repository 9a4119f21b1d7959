/** @jsxImportSource preact */
/** The feed page, and the rows that its island loads. */
import { renderToString } from "preact-render-to-string";
import type { Config } from "../../config.ts";
import {
  type FeedFilterName,
  type FeedFilterRow,
  type FeedPage,
  FeedQuery,
  feedFilterNames,
  feedFilters,
} from "../../feed/schema.ts";
import { fromText } from "../../lib/validate.ts";
import { getFeed } from "../../operations/feed.ts";
import { listProjects } from "../../operations/projects.ts";
import type { Project, ProjectList } from "../../projects/schema.ts";
import { loadSetup, type Setup } from "../../projects/setup.ts";
import { EmptyState, Select } from "../layout.tsx";
import { renderCached } from "../render-cache.ts";
import { callOperation, callOperationText, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { Checklist } from "../welcome/checklist.tsx";
import { EventsByDay } from "./event-rows.tsx";

const pageLength = 50;
/** The query parameters of the feed page. */
export const feedParameters: readonly string[] = [...feedFilterNames, "before", "after"];

export async function feedPage(view: View): Promise<Page> {
  const body = await renderCached(
    view,
    () => callOperationText(view, getFeed, queryOf(view)),
    (text) => renderFeed(view, JSON.parse(text)),
  );
  return { title: "Feed", navEntry: "feed", body, islands: ["feed.js"] };
}

async function renderFeed(view: View, page: FeedPage): Promise<string> {
  const { url } = view;
  const filters = filtersOf(url, feedFilterNames);
  const { projects } = await callOperation<ProjectList>(view, listProjects);
  const isFiltered = Object.keys(filters).length > 0;
  const isNow = !url.searchParams.has("before");
  const setup = isFiltered || !isNow ? null : await loadSetupIfNew(view, page);
  return renderToString(
    <>
      <div class="head">
        <h1>Feed</h1>
        {isNow ? (
          <p class="live" id="live" role="status" hidden>
            <span class="dot" /> <span id="live-text">Connecting…</span>
          </p>
        ) : (
          <a class="button" href={urlWith(url, { before: null, after: null })}>
            Back to latest
          </a>
        )}
        <span class="soft" data-time-zone>
          Times are in UTC
        </span>
      </div>
      {setup && <Checklist view={view} setup={setup} />}
      <Filters view={view} filters={filters} projects={projects} />
      {isNow && <button class="news" id="news" type="button" aria-live="polite" hidden />}
      <div id="days" data-newest={page.events[0]?.ts ?? ""}>
        <EventsByDay events={page.events} projects={projects} config={view.ctx.config} />
        {page.events.length === 0 && <NoEvents isFiltered={isFiltered} hasChecklist={setup !== null} />}
      </div>
      {page.events.length > 0 && <Older url={url} next={page.next_before} />}
    </>,
  );
}

/** Only the rows of a page, for the island, so that events are rendered in one place. */
export async function feedRows(view: View): Promise<string> {
  const [page, { projects }] = await Promise.all([
    callOperation<FeedPage>(view, getFeed, queryOf(view)),
    callOperation<ProjectList>(view, listProjects),
  ]);
  const url = new URL(`/${view.url.search}`, view.url);
  return renderToString(
    <>
      <EventsByDay events={page.events} projects={projects} config={view.ctx.config} />
      <Older url={url} next={page.next_before} />
    </>,
  );
}

const queryOf = ({ url }: View): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(filtersOf(url, [...feedFilterNames, "before", "after"])).map(([name, text]) => [
      name,
      fromText(FeedQuery.properties[name as keyof FeedQuery], text),
    ]),
  ),
  limit: pageLength,
});

interface FiltersProps {
  view: View;
  filters: Record<string, string>;
  projects: Project[];
}

function Filters({ view: { ctx }, filters, projects }: FiltersProps) {
  return (
    <form class="filters" method="get" action="/">
      {feedFilterNames.map((name) => (
        <Filter
          key={name}
          name={name}
          value={filters[name]}
          options={optionsOf(name, projects, ctx.config)}
        />
      ))}
      <button type="submit">Apply</button>
      {Object.keys(filters).length > 0 && (
        <a class="clear" href="/">
          Clear
        </a>
      )}
    </form>
  );
}

interface FilterProps {
  name: FeedFilterName;
  value: string | undefined;
  options: readonly string[] | null;
}

function Filter({ name, value, options }: FilterProps) {
  const { label, schema } = feedFilters[name];
  if (options) return <Select name={name} label={label} value={value} options={options} />;
  return (
    <label class={schema.type === "integer" ? "short" : "broad"}>
      {label}{" "}
      <input
        name={name}
        value={value ?? ""}
        placeholder={String(schema.examples?.[0] ?? "")}
        inputMode={schema.type === "integer" ? "numeric" : "text"}
      />
    </label>
  );
}

function optionsOf(name: FeedFilterName, projects: Project[], config: Config): readonly string[] | null {
  const { options }: FeedFilterRow = feedFilters[name];
  if (options === "projects") return projects.map(({ slug }) => slug);
  return options === "lanes" ? config.lanes : (options ?? null);
}

/**
 * The setup of a new deployment, to show the checklist on the home page: until the first review, or until
 * there is more than a page of events. Null later, and for visitors who are not signed in.
 */
async function loadSetupIfNew({ ctx, visitor }: View, page: FeedPage): Promise<Setup | null> {
  const isNew = page.next_before === null && !page.events.some(({ kind }) => kind === "asset.reviewed");
  return isNew && visitor.signedIn && !ctx.config.mock ? loadSetup(ctx, visitor.caller) : null;
}

const NoEvents = ({ isFiltered, hasChecklist }: { isFiltered: boolean; hasChecklist: boolean }) => (
  <EmptyState title={isFiltered ? "No events match these filters." : "No events yet."}>
    {isFiltered ? (
      <a href="/">Clear filters</a>
    ) : (
      <p>
        New events appear here immediately.
        {!hasChecklist && (
          <>
            {" "}
            To set up svc, <a href="/welcome">get started</a>.
          </>
        )}
      </p>
    )}
  </EmptyState>
);

const Older = ({ url, next }: { url: URL; next: string | null }) => (
  <p class="older">
    {next ? (
      <a class="button" id="older" href={urlWith(url, { before: next, after: null })} rel="next">
        Older events
      </a>
    ) : (
      <span>No older events.</span>
    )}
  </p>
);
