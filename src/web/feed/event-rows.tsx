/** Events as rows: time, kind, summary, cost, project, task, actor. */
import { renderToString } from "preact-render-to-string";
import type { Config } from "../../core/config.ts";
import { Cache, perObject } from "../../core/lib/cache.ts";
import { kindTitle } from "../../feed/kinds.ts";
import type { Project } from "../../feed/projects/schema.ts";
import type { Event } from "../../feed/schema.ts";
import { withoutCoordinates } from "../../library/annotations/text.ts";
import { isRedactionNotice } from "../../library/removals/notice.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatCount, formatDuration } from "../format.ts";
import { Icon, kindStyle } from "../icons/icons.tsx";
import { takeBackUrl } from "../removals/take-back-page.tsx";
import { type OnForge, runUrl, type TaskOf, taskName, taskOnForge, taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";

/** An event of a list. */
export interface ListedEvent extends Event {
  /** The path of the page that its summary links to, if it is not that of the event. */
  page?: string;
}

interface EventListProps {
  events: ListedEvent[];
  /** The projects whose issue and pull request numbers become links. */
  projects: LinkedProject[];
  config: Config;
}

export type LinkedProject = Pick<Project, "slug" | "forge" | "host" | "repo">;

/** Each row is rendered once per config, task URL and text, which a redaction changes (`bun run bench page`). */
const rowsPerConfig = perObject(
  (_config: Config) => new Cache<string, string>({ max: 2_000, bytesMax: 16 * 2 ** 20 }),
);

/** Renders an event as a row of the feed. */
export function eventRenderer(
  projects: EventListProps["projects"],
  config: Config,
  canRedact: boolean,
): (event: Event) => string {
  const tasks = tasksOnForges(projects, config);
  const rows = rowsPerConfig(config);
  return (event) => {
    const task = tasks(event);
    return rows.getOrMake(`${event.id} ${task?.url} ${canRedact} ${event.actor} ${event.summary}`, () =>
      renderToString(<EventRow event={event} task={task} canRedact={canRedact} />),
    );
  };
}

/** The events of one project as a flat list, each with its date. */
export function EventList({ events, projects, config }: EventListProps) {
  const tasks = tasksOnForges(projects, config);
  return (
    <ol class="events dated">
      {events.map((event) => (
        <EventRow key={event.id} event={event} task={tasks(event)} hasDate />
      ))}
    </ol>
  );
}

/** Returns the page of the task of an event or a run on its forge, or null. */
export function tasksOnForges(
  projects: EventListProps["projects"],
  config: Config,
): (of: TaskOf & { project: string | null }) => OnForge | null {
  const bySlug = new Map(projects.map((project) => [project.slug, project]));
  return (event) => {
    const project = bySlug.get(event.project ?? "");
    return project ? taskOnForge(config, project, event) : null;
  };
}

export function EventRow({
  event,
  task,
  hasDate = false,
  canRedact = false,
}: {
  event: ListedEvent;
  task: OnForge | null;
  hasDate?: boolean;
  canRedact?: boolean;
}) {
  return (
    <li class="event" data-id={event.id} data-ts={event.ts}>
      <Time ts={event.ts} as={hasDate ? "age" : "clock"} />
      <Kind event={event} />
      <span class="what">
        <EventSummary event={event} />
        <EventFacts event={event} />
        {canRedact && event.kind !== "data.removed" && !isRedactionNotice(event.summary) && (
          <a class="soft redact" href={takeBackUrl("event", event.id)}>
            Redact…
          </a>
        )}
      </span>
      <span class="project">
        {event.project && !hasDate && <a href={`/projects/${event.project}`}>{event.project}</a>}
      </span>
      <span class="task">
        <TaskLinks of={event} onForge={task} />
      </span>
      <span class="actor">
        <Actor of={event.actor} />
      </span>
    </li>
  );
}

/** The kind, which leads to the run that the event is of. */
function Kind({ event: { kind, project, run_id } }: { event: Event }) {
  const { icon, tone } = kindStyle(kind);
  const content = (
    <>
      <Icon name={icon} />
      {kindTitle(kind)}
    </>
  );
  return project && run_id ? (
    <a class={`kind ${tone}`} href={runUrl({ project, id: run_id })}>
      {content}
    </a>
  ) : (
    <span class={`kind ${tone}`}>{content}</span>
  );
}

/** The number of a task: a link to its page, and one to its forge beside it. */
export function TaskLinks({
  of,
  onForge,
}: {
  of: TaskOf & { project: string | null };
  onForge: OnForge | null;
}) {
  const [url, name] = [taskUrl(of), taskName(of)];
  if (name === null) return null;
  const number = of.task ?? `#${of.issue ?? of.pr}`;
  return (
    <>
      {url ? <a href={url}>{number}</a> : number}
      {onForge && /^https?:\/\//.test(onForge.url) && (
        <a class="on-forge" href={onForge.url} rel="noreferrer" title={`${name} on ${onForge.label}`}>
          <Icon name="outside" />
          <span class="visually-hidden">
            {name} on {onForge.label}
          </span>
        </a>
      )}
    </>
  );
}

/** The summary, as a link to what the event is about if there is one. */
export const EventSummary = ({ event }: { event: ListedEvent }) => (
  <span class="event-summary">
    {event.page || event.kind.startsWith("asset.") ? (
      <a href={event.page ?? libraryUrl(event)}>{withoutCoordinates(event.summary)}</a>
    ) : (
      <ExternalLink href={event.url}>{event.summary}</ExternalLink>
    )}
  </span>
);

/** The asset library filtered by the event's task: an event does not name its asset. */
function libraryUrl({ project, issue, task = null, pr }: Event): string {
  const filters = Object.entries({ project, issue, task, pr }).filter(([, value]) => value !== null);
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

/** A cost that the service computed is marked, since the bill can differ. */
const costText = ({ cost_equiv, cost_source }: Event): string =>
  (cost_source === "computed" ? "~" : "") + formatCost(cost_equiv);

export function EventFacts({ event }: { event: Event }) {
  const facts = [
    event.model,
    event.tokens_in || event.tokens_out
      ? `${formatCount(event.tokens_in)} in, ${formatCount(event.tokens_out)} out`
      : null,
    event.cost_equiv ? costText(event) : null,
    event.duration_ms === null ? null : formatDuration(event.duration_ms),
  ].filter((fact) => fact !== null);
  return facts.length ? <span class="facts">{facts.join(" · ")}</span> : null;
}
