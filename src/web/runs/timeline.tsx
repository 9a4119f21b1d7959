/** The events of a run in order: a page of them at a time. */

import { kindTitle } from "../../feed/kinds.ts";
import type { TimedEvent } from "../../overview/runs/run-page.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { Actor } from "../actor.tsx";
import { EventFacts, EventSummary } from "../feed/event-rows.tsx";
import { formatDuration } from "../format.ts";
import { Icon, kindStyle } from "../icons/icons.tsx";
import { Time } from "../time.tsx";
import { urlWith, type View } from "../view.ts";
import type { ShownRun } from "./load-run.ts";

export function RunTimeline({ view: { url }, shown: { run, page } }: { view: View; shown: ShownRun }) {
  const end = Math.max(
    Date.parse(run.ended_at ?? run.last_event_at),
    ...page.events.map(({ ended }) => ended),
  );
  return (
    <section id="run-timeline" data-live={page.isNewest}>
      <div class="head">
        <h2>Timeline</h2>
        {page.earlier && (
          <a class="button" href={`${urlWith(url, { before: page.earlier })}#run-timeline`} rel="prev">
            Show earlier events
          </a>
        )}
        {!page.isNewest && (
          <a class="button" href={`${urlWith(url, { before: null })}#run-timeline`}>
            Back to latest
          </a>
        )}
      </div>
      <ol class="events steps">
        {page.events.map((timed) => (
          <Step key={timed.event.id} timed={timed} run={run} end={end} />
        ))}
      </ol>
    </section>
  );
}

interface StepProps {
  timed: TimedEvent;
  run: RunDetail;
  /** When the last one ended, in milliseconds since 1970. */
  end: number;
}

/** What all events of the run share is not repeated. */
function Step({ timed, run, end }: StepProps) {
  const { event, ended } = timed;
  const { icon, tone } = kindStyle(event.kind);
  const since = ended - Date.parse(run.started_at);
  return (
    <li class="event" data-id={event.id} data-ts={event.ts}>
      <Time ts={new Date(ended).toISOString()} as="clock" />
      <span class="elapsed soft">{since > 0 && `+${formatDuration(since)}`}</span>
      <span class={`kind ${tone}`}>
        <Icon name={icon} />
        {kindTitle(event.kind)}
      </span>
      <span class="what">
        <EventSummary event={event} />
        <EventFacts event={run.models.length > 1 ? event : { ...event, model: null }} />
      </span>
      {event.actor !== run.actor && (
        <span class="actor">
          <Actor of={event.actor} />
        </span>
      )}
      <Waterfall timed={timed} start={Date.parse(run.started_at)} end={end} />
    </li>
  );
}

/** Parts of the width of a run. */
const parts = 1_000;
const leastPart = 3;

/** When a step happened, as a part of the run's time. The texts beside it say the same. */
function Waterfall({
  timed: { began, ended },
  start,
  end,
}: {
  timed: TimedEvent;
  start: number;
  end: number;
}) {
  const partOf = (ms: number) =>
    Math.min(parts, Math.max(0, ((ms - start) / Math.max(1, end - start)) * parts));
  const width = Math.max(leastPart, partOf(ended) - partOf(began));
  return (
    <svg class="waterfall" viewBox={`0 0 ${parts} 1`} preserveAspectRatio="none" aria-hidden="true">
      <rect x={Math.min(partOf(began), parts - width).toFixed(1)} width={width.toFixed(1)} height="1" />
    </svg>
  );
}
