/** @jsxImportSource preact */
/** Events as rows: time, kind, summary, cost, project, task, actor. */
import { renderToString } from "preact-render-to-string";
import { hostOf } from "../../assets/library.ts";
import type { Config } from "../../config.ts";
import type { Event, EventKind } from "../../feed/schema.ts";
import { Cache, perObject } from "../../lib/cache.ts";
import type { Project } from "../../projects/schema.ts";
import { formatCost, formatCount, formatDuration, formatLongDate } from "../format.ts";
import { Icon, kindStyles } from "../icons.tsx";
import { Time } from "../time.tsx";

interface EventListProps {
  events: Event[];
  /** The projects whose issue and pull request numbers become links. */
  projects: Pick<Project, "slug" | "repo">[];
  config: Config;
}

export function EventsByDay({ events, projects, config }: EventListProps) {
  const rowOf = rowsOf(projects, config);
  return (
    <>
      {[...Map.groupBy(events, (event) => event.ts.slice(0, 10))].map(([day, rows]) => (
        <section class="day" key={day} data-day={day}>
          <h2>{formatLongDate(day)}</h2>
          <ol class="events" dangerouslySetInnerHTML={{ __html: rows.map(rowOf).join("") }} />
        </section>
      ))}
    </>
  );
}

/** Events are immutable, so each row is rendered once per config and task URL (`bun run bench page`). */
const rowsPerConfig = perObject((_config: Config) => new Cache<string, string>({ max: 2_000 }));

function rowsOf(projects: EventListProps["projects"], config: Config): (event: Event) => string {
  const tasks = taskUrls(projects, config);
  const rows = rowsPerConfig(config);
  return (event) => {
    const task = tasks(event);
    return rows.getOrMake(`${event.id} ${task}`, () => renderToString(<Row event={event} task={task} />));
  };
}

/** The events of one project as a flat list, each with its date. */
export function EventList({ events, projects, config }: EventListProps) {
  const tasks = taskUrls(projects, config);
  return (
    <ol class="events dated">
      {events.map((event) => (
        <Row key={event.id} event={event} task={tasks(event)} hasDate />
      ))}
    </ol>
  );
}

/** @returns the GitHub URL of an event's issue or pull request, or null */
function taskUrls(projects: EventListProps["projects"], config: Config): (event: Event) => string | null {
  const host = hostOf(config.githubApiUrl);
  const repos = new Map(projects.map(({ slug, repo }) => [slug, repo]));
  return ({ project, issue, pr }) => {
    const repo = repos.get(project ?? "");
    return repo && (pr || issue) ? `${host}/${repo}/${pr ? `pull/${pr}` : `issues/${issue}`}` : null;
  };
}

function Row({ event, task, hasDate = false }: { event: Event; task: string | null; hasDate?: boolean }) {
  const [icon, tone] = kindStyles[event.kind as EventKind];
  const number = event.pr ?? event.issue;
  return (
    <li class="event" data-id={event.id} data-ts={event.ts}>
      <Time ts={event.ts} as={hasDate ? "short" : "time"} />
      <span class={`kind ${tone}`}>
        <Icon name={icon} />
        {event.kind}
      </span>
      <span class="what">
        <EventSummary event={event} />
        <EventFacts event={event} />
      </span>
      <span class="project">
        {event.project && !hasDate && <a href={`/projects/${event.project}`}>{event.project}</a>}
      </span>
      <span class="task">{number && <ExternalLink href={task}>{`#${number}`}</ExternalLink>}</span>
      <span class="actor" title={event.actor}>
        {event.actor}
      </span>
    </li>
  );
}

/** The summary, as a link to what the event is about if there is one. */
export const EventSummary = ({ event }: { event: Event }) => (
  <span class="event-summary">
    {event.kind.startsWith("asset.") ? (
      <a href={libraryUrl(event)}>{event.summary}</a>
    ) : (
      <ExternalLink href={event.url}>{event.summary}</ExternalLink>
    )}
  </span>
);

/** The asset library filtered by the event's task: an event does not name its asset. */
function libraryUrl({ project, issue, pr }: Event): string {
  const filters = Object.entries({ project, issue, pr }).filter(([, value]) => value !== null);
  return `/assets?${new URLSearchParams(filters.map(([name, value]) => [name, String(value)]))}`;
}

/** A URL from event data becomes a link only if it is https. */
const ExternalLink = ({ href, children }: { href: string | null; children: string }) =>
  href?.startsWith("https://") ? (
    <a href={href} rel="noreferrer">
      {children}
    </a>
  ) : (
    children
  );

export function EventFacts({ event }: { event: Event }) {
  const facts = [
    event.model,
    event.tokens_in || event.tokens_out
      ? `${formatCount(event.tokens_in)} in, ${formatCount(event.tokens_out)} out`
      : null,
    event.cost_equiv ? formatCost(event.cost_equiv) : null,
    event.duration_ms === null ? null : formatDuration(event.duration_ms),
  ].filter((fact) => fact !== null);
  return facts.length ? <span class="facts">{facts.join(" · ")}</span> : null;
}
