/** @jsxImportSource preact */
/** The feed, live. */

import { renderToString } from "preact-render-to-string";
import type { Event, EventKind, FeedPage } from "../feed/schema.ts";
import { kinds } from "../feed/schema.ts";
import { getFeed } from "../operations/feed.ts";
import { listProjects } from "../operations/projects.ts";
import type { ProjectList } from "../projects/schema.ts";
import { Icon, kindLooks } from "./icons.tsx";
import { Choose, Empty } from "./layout.tsx";
import { clock, cost, lasting, longDay, short } from "./numbers.ts";
import { addressWith, ask, filtersOf, type Page, type View } from "./view.ts";

export const feedFilters = ["project", "kind", "actor", "lane"] as const;
const pageLength = 50;

export async function feedPage(view: View): Promise<Page> {
  const { url, ctx } = view;
  const filters = filtersOf(url, feedFilters);
  const [page, { projects }] = await Promise.all([readPage(view), ask<ProjectList>(view, listProjects)]);
  const filtered = Object.keys(filters).length > 0;
  const body = (
    <>
      <div class="head">
        <h1>Feed</h1>
        <p class="live" id="live" role="status" hidden>
          <span class="dot" /> <span id="live-text">Connecting</span>
        </p>
      </div>
      <form class="filters" method="get" action="/">
        <Choose name="project" label="Project" value={filters.project} options={projects.map((one) => one.slug)} />
        <Choose name="kind" label="Kind" value={filters.kind} options={kinds} />
        <Choose name="lane" label="Lane" value={filters.lane} options={ctx.config.lanes} />
        <label>
          Actor <input name="actor" value={filters.actor ?? ""} placeholder="agent:codex" />
        </label>
        <button type="submit">Apply</button>
        {filtered && <a href="/">Clear</a>}
      </form>
      <button class="news" id="news" type="button" hidden />
      {page.events.length === 0 ? (
        <Empty title={filtered ? "Nothing matches these filters." : "Nothing has happened yet."}>
          {filtered ? (
            <a href="/">Show everything</a>
          ) : (
            <p>
              Link a project with <code>svc project link</code>, then let deliveries and agents report.
            </p>
          )}
        </Empty>
      ) : (
        <div id="days" data-newest={page.events[0]?.ts}>
          <Days events={page.events} />
        </div>
      )}
      <Older view={view} next={page.next_before} />
    </>
  );
  return { title: "Feed", place: "feed", body, islands: ["feed.js"] };
}

/** The rows of a page alone, for the island: one rendering of an event, here. */
export async function feedRows(view: View): Promise<string> {
  const page = await readPage(view);
  return renderToString(
    <>
      <Days events={page.events} />
      <Older view={{ ...view, url: new URL(view.url.href.replace("/web/feed-rows", "/")) }} next={page.next_before} />
    </>,
  );
}

function readPage(view: View): Promise<FeedPage> {
  const bounds = filtersOf(view.url, ["before", "after"]);
  return ask<FeedPage>(view, getFeed, { ...filtersOf(view.url, feedFilters), ...bounds, limit: pageLength });
}

function Days({ events }: { events: Event[] }) {
  return (
    <>
      {[...Map.groupBy(events, (event) => event.ts.slice(0, 10))].map(([day, rows]) => (
        <section class="day" key={day} data-day={day}>
          <h2>{longDay(day)}</h2>
          <ol class="events">
            {rows.map((event) => (
              <Row key={event.id} event={event} />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

export function Row({ event }: { event: Event }) {
  const [icon, tone] = kindLooks[event.kind as EventKind];
  return (
    <li class="event" data-id={event.id} data-ts={event.ts}>
      <time dateTime={event.ts}>{clock(event.ts)}</time>
      <span class={`kind ${tone}`}>
        <Icon name={icon} /> {event.kind}
      </span>
      <span class="what">
        {event.url?.startsWith("https://") ? (
          <a href={event.url} rel="noreferrer">
            {event.summary}
          </a>
        ) : (
          event.summary
        )}
        <Facts event={event} />
      </span>
      <span class="from">
        {event.project && <a href={`/projects/${event.project}`}>{event.project}</a>}
        <Task event={event} />
        <span class="actor">{event.actor}</span>
      </span>
    </li>
  );
}

const Task = ({ event: { issue, pr } }: { event: Event }) => (issue || pr ? <span class="task">#{pr ?? issue}</span> : null);

function Facts({ event }: { event: Event }) {
  const facts = [
    event.model,
    event.tokens_in || event.tokens_out ? `${short(event.tokens_in)} in, ${short(event.tokens_out)} out` : null,
    event.cost_equiv ? cost(event.cost_equiv) : null,
    event.duration_ms === null ? null : lasting(event.duration_ms),
  ].filter((fact) => fact !== null);
  return facts.length ? <span class="facts">{facts.join(" · ")}</span> : null;
}

const Older = ({ view, next }: { view: View; next: string | null }) => (
  <p class="older">
    {next ? (
      <a id="older" href={addressWith(view.url, { before: next, after: null })} rel="next">
        Older
      </a>
    ) : (
      <span>This is where it began.</span>
    )}
  </p>
);
