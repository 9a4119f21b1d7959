/** @jsxImportSource preact */
/** Events on Today: failures with their cause, and new decisions. */
import type { Event, EventKind } from "../../feed/schema.ts";
import { fromMicros, toMicros } from "../../lib/time.ts";
import type { Today } from "../../today/schema.ts";
import { formatCost, formatDuration } from "../format.ts";
import { Icon, kindStyles } from "../icons.tsx";
import { Time } from "../time.tsx";
import { Section } from "./section.tsx";

interface EventSectionProps {
  id: string;
  title: string;
  none: string;
  kinds: EventKind[];
  since: string;
  found: Today["failures"];
}

export const EventSection = ({ id, title, none, kinds, since, found }: EventSectionProps) => (
  <Section
    {...{ id, title, none, count: found.count }}
    aside={
      found.count > found.events.length && (
        <a href={feedUrl({ kind: kinds.join(), after: since })}>All in the feed</a>
      )
    }
  >
    <ol class="items panel">
      {found.events.map((event) => (
        <Item key={event.id} event={event} />
      ))}
    </ol>
  </Section>
);

function Item({ event }: { event: Event }) {
  const [icon, tone] = kindStyles[event.kind as EventKind];
  const number = event.pr ?? event.issue;
  return (
    <li>
      <span class={`item-icon ${tone}`}>
        <Icon name={icon} />
      </span>
      <div>
        <a href={placeInFeed(event)} data-item>
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
          {number && ` · #${number}`} · {event.actor}
          {event.duration_ms !== null && ` · ${formatDuration(event.duration_ms)}`}
          {event.cost_equiv > 0 && ` · ${formatCost(event.cost_equiv)}`}
        </p>
      </div>
    </li>
  );
}

const feedUrl = (query: Record<string, string>): string =>
  `/feed?${new URLSearchParams(query).toString().replaceAll("%2C", ",").replaceAll("%3A", ":")}`;

/** The feed of its project, from this event on back. */
const placeInFeed = ({ project, ts }: Event): string =>
  feedUrl({ ...(project !== null && { project }), before: fromMicros(toMicros(ts) + 1) });
