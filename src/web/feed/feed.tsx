/** @jsxImportSource preact */
/** The feed page, and the rows that its island loads. */
import { renderToString } from "preact-render-to-string";
import { type FeedPage, FeedQuery, feedFilterNames } from "../../feed/schema.ts";
import { fromText } from "../../lib/validate.ts";
import { getFeed } from "../../operations/feed.ts";
import { listProjects } from "../../operations/projects.ts";
import type { ProjectList } from "../../projects/schema.ts";
import { EmptyState, LiveStatus } from "../layout.tsx";
import { renderCached } from "../render-cache.ts";
import { callOperation, callOperationText, type Page, urlWith, type View } from "../view.ts";
import { EventsByDay } from "./event-rows.tsx";
import { Filters } from "./filters.tsx";

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
  const filters = valuesByName(url, feedFilterNames);
  const { projects } = await callOperation<ProjectList>(view, listProjects);
  const isFiltered = Object.keys(filters).length > 0;
  const isNow = !url.searchParams.has("before");
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
      <Filters config={view.ctx.config} filters={filters} projects={projects} />
      {isNow && <button class="news" id="news" type="button" aria-live="polite" hidden />}
      <div id="results">
        <div id="days" data-newest={page.events[0]?.ts ?? ""}>
          <EventsByDay events={page.events} projects={projects} config={view.ctx.config} />
          {page.events.length === 0 && <NoEvents isFiltered={isFiltered} />}
        </div>
        {page.events.length > 0 && <Older url={url} next={page.next_before} />}
      </div>
    </>,
  );
}

/** Only the rows of a page, for the island, so that events are rendered in one place. */
export async function feedRows(view: View): Promise<string> {
  const [page, { projects }] = await Promise.all([
    callOperation<FeedPage>(view, getFeed, queryOf(view)),
    callOperation<ProjectList>(view, listProjects),
  ]);
  const url = new URL(`/feed${view.url.search}`, view.url);
  return renderToString(
    <>
      <EventsByDay events={page.events} projects={projects} config={view.ctx.config} />
      <Older url={url} next={page.next_before} />
    </>,
  );
}

/** The parameters that are not empty. A form without scripts repeats a parameter for each of its values. */
const valuesByName = ({ searchParams }: URL, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const values = searchParams.getAll(name).filter(Boolean);
      return values.length === 0 ? [] : [[name, values.join(",")]];
    }),
  );

const queryOf = ({ url }: View): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(valuesByName(url, feedParameters)).map(([name, text]) => [
      name,
      fromText(FeedQuery.properties[name as keyof FeedQuery], text),
    ]),
  ),
  limit: pageLength,
});

const NoEvents = ({ isFiltered }: { isFiltered: boolean }) => (
  <EmptyState title={isFiltered ? "No events match these filters." : "No events yet."}>
    {isFiltered ? (
      <a href="/feed">Clear filters</a>
    ) : (
      <p>
        New events appear here immediately. To set up svc, <a href="/welcome">get started</a>.
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
