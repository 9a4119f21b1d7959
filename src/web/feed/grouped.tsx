/** The feed with a line for each run, by day or as a list. */

import { renderToString } from "preact-render-to-string";
import { canGroup, type GroupedFilter } from "../../feed/grouped.ts";
import type { FeedLine } from "../../overview/feed/lines.ts";
import { formatLongDate } from "../format.ts";
import type { View } from "../view.ts";
import { EventRow, eventRenderer, type LinkedProject, tasksOnForges } from "./event-rows.tsx";
import { RunRow as RunItem } from "./run-rows.tsx";

type Query = Record<string, unknown>;

/** Whether the feed with these filters can have a line for each run. */
export const isGroupable = (query: Query): boolean =>
  query.kind === undefined && query.run_id === undefined && canGroup(query as GroupedFilter);

interface LinesProps {
  lines: FeedLine[];
  projects: LinkedProject[];
  config: View["ctx"]["config"];
}

export function LinesByDay({ lines, projects, config, canRedact }: LinesProps & { canRedact: boolean }) {
  const eventHtml = eventRenderer(projects, config, canRedact);
  const onForge = tasksOnForges(projects, config);
  const html = (line: FeedLine) =>
    "event" in line
      ? eventHtml(line.event)
      : renderToString(<RunItem preview={line.preview} ts={line.ts} onForge={onForge(line.preview.run)} />);
  return (
    <>
      {[...Map.groupBy(lines, ({ ts }) => ts.slice(0, 10))].map(([day, list]) => (
        <section class="day" key={day} data-day={day}>
          <h2>{formatLongDate(day)}</h2>
          <ol class="events" dangerouslySetInnerHTML={{ __html: list.map(html).join("") }} />
        </section>
      ))}
    </>
  );
}

/** Lines as a flat list, each with its date. */
export function LineList({ lines, projects, config }: LinesProps) {
  const onForge = tasksOnForges(projects, config);
  return (
    <ol class="events dated">
      {lines.map((line) =>
        "event" in line ? (
          <EventRow key={line.event.id} event={line.event} task={onForge(line.event)} hasDate />
        ) : (
          <RunItem
            key={line.preview.run.id}
            preview={line.preview}
            ts={line.ts}
            onForge={onForge(line.preview.run)}
            hasDate
          />
        ),
      )}
    </ol>
  );
}
