/** The feed page, and the rows that its island loads. */

import { renderToString } from "preact-render-to-string";
import { parseActors } from "../../core/auth/actor-name.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import { personDoor } from "../../core/auth/persons.ts";
import { fromText } from "../../core/lib/validate.ts";
import { listFilterValues, listOwnerValues } from "../../feed/filter-values.ts";
import { feedFilterNames } from "../../feed/filters.ts";
import { getFeed } from "../../feed/operations/feed.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import { FeedQuery } from "../../feed/requests.ts";
import type { FeedPage } from "../../feed/schema.ts";
import { type LinePage, loadLines } from "../../overview/feed/lines.ts";
import { EmptyState, LiveStatus, maySetUp } from "../layout.tsx";
import { Found, isFiltered, ListFilters, listScript } from "../lists/filters.tsx";
import { listOrRefused, RefusedFilter } from "../lists/refused-filter.ts";
import { renderCached } from "../render-cache.ts";
import { callOperation, type Page, readFor, urlWith, type View } from "../view.ts";
import { feedFields } from "./filters.ts";
import { isGroupable, LinesByDay } from "./grouped.tsx";
import { newestOf } from "./run-rows.tsx";

const pageLength = 50;
const queryNames: readonly string[] = [...feedFilterNames, "before", "after"];
/** The query parameters of the feed page. */
export const feedParameters: readonly string[] = [...queryNames, "view"];

export async function feedPage(view: View): Promise<Page> {
  const found = await listOrRefused(view, feedFilterNames, () =>
    renderCached(
      view,
      async () => JSON.stringify(await loadFeed(view)),
      (text) => renderFeed(view, JSON.parse(text)),
    ),
  );
  const page = { title: "Feed", navEntry: "feed", islands: ["feed-list.js"] } as const;
  return found instanceof RefusedFilter
    ? { ...page, islands: [listScript], status: found.status, body: await feedBody(view, found) }
    : { ...page, islands: [...page.islands], body: found };
}

/** What the page shows: a line for each run, or every event. */
async function loadFeed(view: View): Promise<LinePage> {
  const query = queryOf(view);
  if (!showsEvents(view, query)) {
    const door = await personDoor(view.ctx, view.visitor.caller);
    return readFor(view, loadLines(view.ctx, door ? door.reveal(query) : query, view.visitor.caller));
  }
  const { events, next_before: next } = await callOperation<FeedPage>(view, getFeed, query);
  return { lines: events.map((event) => ({ ts: event.ts, event })), next };
}

/** Some filters select events, not runs. */
const showsEvents = ({ url }: View, query: Record<string, unknown>): boolean =>
  url.searchParams.get("view") === "events" || !isGroupable(query);

const renderFeed = async (view: View, page: LinePage): Promise<string> =>
  renderToString(await feedBody(view, page));

async function feedBody(view: View, page: LinePage | RefusedFilter) {
  const { url, ctx, visitor } = view;
  const [{ projects }, actors, lanes, owners] = await Promise.all([
    callOperation<ProjectList>(view, listProjects),
    readFor(view, listFilterValues(ctx, visitor.caller, "actor")),
    listFilterValues(ctx, visitor.caller, "lane"),
    listOwnerValues(ctx, visitor.caller),
  ]);
  const fields = feedFields({ slugs: projects.map(({ slug }) => slug), actors, lanes, owners });
  const isNow = !url.searchParams.has("before");
  const refused = page instanceof RefusedFilter ? page : undefined;
  return (
    <>
      <div class="head">
        <h1>Feed</h1>
        {refused ? null : isNow ? (
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
      <ListFilters url={url} fields={fields} keeps={["view"]} refused={refused} loads={!isNow} />
      {isNow && <button class="news" id="news" type="button" aria-live="polite" hidden />}
      <Found url={url} fields={fields} keeps={["view"]} refused={refused}>
        {page instanceof RefusedFilter ? null : (
          <Lines view={view} page={page} projects={projects} isFiltered={isFiltered(url, fields)} />
        )}
      </Found>
    </>
  );
}

interface LinesProps {
  view: View;
  page: LinePage;
  projects: ProjectList["projects"];
  isFiltered: boolean;
}

function Lines({ view, page, projects, isFiltered }: LinesProps) {
  const query = queryOf(view);
  const isEmpty = page.lines.length === 0 && page.next === null;
  return (
    <>
      <Switch url={view.url} isEvents={showsEvents(view, query)} />
      <div id="days" data-newest={newestOf(page)} data-actor={query.actor?.join()}>
        <LinesByDay
          lines={page.lines}
          projects={projects}
          config={view.ctx.config}
          canRedact={isAdmin(view.visitor.caller)}
        />
        {isEmpty && <NoEvents view={view} isFiltered={isFiltered} />}
      </div>
      {!isEmpty && <Older url={view.url} next={page.next} />}
    </>
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
      <LinesByDay
        lines={page.lines}
        projects={projects}
        config={view.ctx.config}
        canRedact={isAdmin(view.visitor.caller)}
      />
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
    {!isFiltered && (
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
