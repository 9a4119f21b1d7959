/** @jsxImportSource preact */
/** The feed with a line for each run: what the page loads, and its lines by day. */

import { renderToString } from "preact-render-to-string";
import { authorize } from "../../core/auth/authorization.ts";
import { ceilMicros, fromMicros, toMicros } from "../../core/lib/time.ts";
import { checkInput } from "../../core/lib/validate.ts";
import { canGroup, type GroupedFilter, type GroupedItem, groupedPage } from "../../feed/grouped.ts";
import { FeedQuery } from "../../feed/requests.ts";
import type { RunRow } from "../../feed/rows.ts";
import { lostBefore, toRun } from "../../feed/runs/runs.ts";
import type { Event } from "../../feed/schema.ts";
import { toAsset } from "../../library/assets/library.ts";
import { formatLongDate } from "../format.ts";
import { hasScope } from "../layout.tsx";
import type { View } from "../view.ts";
import { EventRow, eventRenderer, type LinkedProject, tasksOnForges } from "./event-rows.tsx";

import { type FeedLine, type LinePage, RunRow as RunItem, type RunPreview } from "./run-rows.tsx";

/** The last steps and the assets that an opened line shows. */
const stepsMax = 3;
const assetsMax = 6;

type Query = Record<string, unknown>;

/** Whether the feed with these filters can have a line for each run. */
export const isGroupable = (query: Query): boolean =>
  query.kind === undefined && query.run_id === undefined && canGroup(query as GroupedFilter);

/** @throws Problem 400 for a malformed query, 401 or 403 without the scope */
export async function loadLines(view: View, query: Query): Promise<LinePage> {
  const { ctx, visitor } = view;
  authorize(visitor.caller, "feed:read", ctx.config);
  const { before, after, limit, ...filter } = checkInput(
    FeedQuery,
    new Map(Object.entries(query)),
  ) as FeedQuery;
  const { items, next } = await groupedPage(
    ctx,
    {
      ...(filter as GroupedFilter),
      ...(before !== undefined && { before: ceilMicros(before) }),
      ...(after !== undefined && { after: toMicros(after) }),
      limit: limit ?? 50,
    },
    visitor.caller,
  );
  return {
    lines: await Promise.all(items.map((item) => lineOf(view, item))),
    next: next === null ? null : fromMicros(next),
  };
}

const lineOf = async (view: View, item: GroupedItem): Promise<FeedLine> =>
  "event" in item
    ? { ts: fromMicros(item.ts), event: item.event }
    : { ts: fromMicros(item.run.last_event_at), preview: await previewOf(view, item.run) };

async function previewOf(view: View, row: RunRow): Promise<RunPreview> {
  const { ctx } = view;
  const [steps, assets] = await Promise.all([
    ctx.data.runEvents(row, { order: "newest first", limit: stepsMax }),
    row.assets > 0 && hasScope(view, "assets:read") ? ctx.data.runAssets(row, assetsMax) : [],
  ]);
  return {
    run: toRun(row, lostBefore(ctx)),
    // The line itself has the newest summary.
    steps: steps
      .reverse()
      .map(({ wire }): Event => JSON.parse(wire))
      .filter(({ summary }) => summary !== row.summary),
    assets: assets.map((asset) => toAsset(ctx, asset)),
  };
}

interface LinesProps {
  lines: FeedLine[];
  projects: LinkedProject[];
  config: View["ctx"]["config"];
}

export function LinesByDay({ lines, projects, config }: LinesProps) {
  const eventHtml = eventRenderer(projects, config);
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
