/** @jsxImportSource preact */
/** The events of a run in order: a page of them at a time. */

import type { Event, EventKind } from "../../feed/schema.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { Actor } from "../actor.tsx";
import { EventFacts, EventSummary } from "../feed/event-rows.tsx";
import { formatDuration } from "../format.ts";
import { Icon, kindStyle } from "../icons/icons.tsx";
import { Time } from "../time.tsx";
import { urlWith, type View } from "../view.ts";
import type { ShownRun } from "./load-run.ts";

export function RunTimeline({ view: { url }, shown: { run, page } }: { view: View; shown: ShownRun }) {
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
        {page.events.map((event) => (
          <Step key={event.id} event={event} run={run} />
        ))}
      </ol>
    </section>
  );
}

/** What all events of the run share is not repeated. */
function Step({ event, run }: { event: Event; run: RunDetail }) {
  const { icon, tone } = kindStyle(event.kind as EventKind);
  const since = Date.parse(event.ts) - Date.parse(run.started_at);
  return (
    <li class="event" data-id={event.id} data-ts={event.ts}>
      <Time ts={event.ts} as="time" />
      <span class="elapsed soft">{since > 0 && `+${formatDuration(since)}`}</span>
      <span class={`kind ${tone}`}>
        <Icon name={icon} />
        {event.kind}
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
    </li>
  );
}
