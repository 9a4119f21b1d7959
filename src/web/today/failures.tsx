/** @jsxImportSource preact */
/** What failed, each with its cause, and the runs that were lost. */

import { fromMicros, toMicros } from "../../core/lib/time.ts";
import type { Event, EventKind } from "../../feed/schema.ts";
import type { Today } from "../../overview/today/schema.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatDuration } from "../format.ts";
import { Icon, kindStyles } from "../icons/icons.tsx";
import { runUrl, taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { LostRuns } from "./runs.tsx";
import { AllInFeed, feedUrl, Section } from "./section.tsx";

const failureKinds: EventKind[] = ["run.failed", "preview.failed"];

export const Failures = ({ today: { failures, lost, since } }: { today: Today }) => (
  <Section
    id="failures"
    title="Failed"
    count={failures.count + lost.count}
    none="Nothing failed."
    aside={failures.count > failures.events.length && <AllInFeed kinds={failureKinds} since={since} />}
  >
    {failures.events.length > 0 && <Events events={failures.events} />}
    {lost.runs.length > 0 && <LostRuns runs={lost.runs} />}
  </Section>
);

const Events = ({ events }: { events: Event[] }) => (
  <ol class="items panel">
    {events.map((event) => (
      <Item key={event.id} event={event} />
    ))}
  </ol>
);

function Item({ event }: { event: Event }) {
  const [icon, tone] = kindStyles[event.kind as EventKind];
  const task = taskUrl(event);
  return (
    <li>
      <span class={`item-icon ${tone}`}>
        <Icon name={icon} />
      </span>
      <div>
        <a href={urlOf(event)} data-item>
          {event.summary}
        </a>
        <p class="soft">
          <Time ts={event.ts} as="short" />
          {event.project && (
            <>
              {" · "}
              <a href={`/projects/${event.project}`}>{event.project}</a>
            </>
          )}
          {task && (
            <>
              {" · "}
              <a href={task}>#{event.issue ?? event.pr}</a>
            </>
          )}{" "}
          · <Actor of={event.actor} />
          {event.duration_ms !== null && ` · ${formatDuration(event.duration_ms)}`}
          {event.cost_equiv > 0 && ` · ${formatCost(event.cost_equiv)}`}
        </p>
      </div>
    </li>
  );
}

/** Its run or, for an event without one, its place in the feed of its project. */
const urlOf = ({ project, ts, run_id: id }: Event): string =>
  id && project
    ? runUrl({ id, project })
    : feedUrl({ ...(project !== null && { project }), before: fromMicros(toMicros(ts) + 1) });
