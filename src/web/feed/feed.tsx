/** @jsxImportSource preact */
/** The feed page, and the rows that its island loads. */
import { renderToString } from "preact-render-to-string";
import { parseActors } from "../../core/auth/actor-name.ts";
import { fromText } from "../../core/lib/validate.ts";
import { feedFilterNames } from "../../feed/filters.ts";
import { getFeed } from "../../feed/operations/feed.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import { FeedQuery } from "../../feed/requests.ts";
import type { FeedPage } from "../../feed/schema.ts";
import { type LinePage, loadLines } from "../../overview/feed/lines.ts";
import { EmptyState, LiveStatus, maySetUp } from "../layout.tsx";
import { renderCached } from "../render-cache.ts";
import { callOperation, type Page, urlWith, type View } from "../view.ts";
import { Filters } from "./filters.tsx";
import { isGroupable, LinesByDay } from "./grouped.tsx";
import { newestOf } from "./run-rows.tsx";

const pageLength = 50;
const queryNames: readonly string[] = [...feedFilterNames, "before", "after"];
/** The query parameters of the feed page. */
export const feedParameters: readonly string[] = [...queryNames, "view"];

export async function feedPage(view: View): Promise<Page> {
  const body = await renderCached(
    view,
    async () => JSON.stringify(await loadFeed(view)),
    (text) => renderFeed(view, JSON.parse(text)),
  );
  return { title: "Feed", navEntry: "feed", body, islands: ["feed.js"] };
}

/** What the page shows: a line for each run, or every event. */
async function loadFeed(view: View): Promise<LinePage> {
  const query = queryOf(view);
  if (!showsEvents(view, query)) return loadLines(view.ctx, query, view.visitor.caller);
  const { events, next_before: next } = await callOperation<FeedPage>(view, getFeed, query);
  return { lines: events.map((event) => ({ ts: event.ts, event })), next };
}

/** Some filters select events, not runs. */
const showsEvents = ({ url }: View, query: Record<string, unknown>): boolean =>
  url.searchParams.get("view") === "events" || !isGroupable(query);

async function renderFeed(view: View, page: LinePage): Promise<string> {
  const { url } = view;
  const query = queryOf(view);
  const isEvents = showsEvents(view, query);
  const filters = valuesByName(url, feedFilterNames);
  const { projects } = await callOperation<ProjectList>(view, listProjects);
  const isFiltered = Object.keys(filters).length > 0;
  const isNow = !url.searchParams.has("before");
  const isEmpty = page.lines.length === 0 && page.next === null;
  return renderToString(
    <>
      <div class="head">
        <h1>Feed</h1>
        {isNow ? (
          <LiveStatus />
        ) : (
          <a class="button" href={urlWith(url, { before: null, after: null })}>
            Back to latest
          </a>
        )}
        <span class="soft" data-time-zone>
          Times are in UTC
        </span>
      </div>
      <Filters
        config={view.ctx.config}
        filters={filters}
        projects={projects}
        shown={url.searchParams.get("view")}
      />
      {isNow && <button class="news" id="news" type="button" aria-live="polite" hidden />}
      <div id="results">
        <Switch url={url} isEvents={isEvents} />
        <div id="days" data-newest={newestOf(page)} data-actor={query.actor?.join()}>
          <LinesByDay lines={page.lines} projects={projects} config={view.ctx.config} />
          {isEmpty && <NoEvents view={view} isFiltered={isFiltered} />}
        </div>
        {!isEmpty && <Older url={url} next={page.next} />}
      </div>
    </>,
  );
}

/** Only the rows of a page, for the island, so that events are rendered in one place. */
export async function feedRows(view: View): Promise<string> {
  const [page, { projects }] = await Promise.all([
    loadFeed(view),
    callOperation<ProjectList>(view, listProjects),
  ]);
  const url = new URL(`/feed${view.url.search}`, view.url);
  return renderToString(
    <>
      <LinesByDay lines={page.lines} projects={projects} config={view.ctx.config} />
      <Older url={url} next={page.next} />
    </>,
  );
}

/** Between a line for each run and a line for each event. */
const Switch = ({ url, isEvents }: { url: URL; isEvents: boolean }) => (
  <div class="switch">
    <nav class="tabs" aria-label="View">
      <a
        href={urlWith(url, { view: null, kind: null, run_id: null })}
        aria-current={isEvents ? undefined : "true"}
      >
        Runs
      </a>
      <a href={urlWith(url, { view: "events" })} aria-current={isEvents ? "true" : undefined}>
        Events
      </a>
    </nav>
    {isEvents && url.searchParams.get("view") !== "events" && (
      <span class="soft">These filters select single events, so every event has its own line.</span>
    )}
  </div>
);

/** The parameters that are not empty. A form without scripts repeats a parameter for each of its values. */
const valuesByName = ({ searchParams }: URL, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const values = searchParams.getAll(name).filter(Boolean);
      return values.length === 0 ? [] : [[name, values.join(",")]];
    }),
  );

/** The filters of the URL, in which an actor has any of its forms. */
function queryOf({ url }: View): Record<string, unknown> & { actor: string[] | undefined } {
  const { actor, ...others } = valuesByName(url, queryNames);
  const fields = Object.entries(others).map(([name, text]) => [
    name,
    fromText(FeedQuery.properties[name as keyof FeedQuery], text),
  ]);
  return {
    ...Object.fromEntries(fields),
    actor: actor === undefined ? undefined : parseActors(actor),
    limit: pageLength,
  };
}

const NoEvents = ({ view, isFiltered }: { view: View; isFiltered: boolean }) => (
  <EmptyState title={isFiltered ? "No events match these filters." : "No events yet."}>
    {isFiltered ? (
      <a href="/feed">Clear filters</a>
    ) : (
      <p>
        New events appear here immediately.{" "}
        {maySetUp(view) && (
          <>
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
