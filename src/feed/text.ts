/** Renders the feed as text for agents, one event per line. */

import { escapeControls } from "../core/lib/strings/display-text.ts";
import type { TagData } from "../core/lib/strings/untrusted-text.ts";
import { taskNames } from "../core/task-key.ts";
import type { Event, FeedPage } from "./schema.ts";

export function feedText({ events, next_cursor }: FeedPage, enclose: TagData): string {
  if (events.length === 0) return "No events.";
  const older = next_cursor === null ? [] : [`Older events: cursor ${next_cursor}`];
  return [
    `${events.length} events, newest first:`,
    enclose("the actor of each event", events.map(eventLine).join("\n")),
    ...older,
  ].join("\n");
}

/** Renders `2026-01-02T03:04Z run.failed atlas #12 agent:codex: Run 7 failed`. */
export function eventLine({ ts, kind, project, actor, summary, url, ...of }: Event): string {
  const task = [...(project ? [project] : []), ...taskNames(of)];
  return [
    `${ts.slice(0, 16)}Z`,
    kind,
    ...task,
    `${escapeControls(actor)}:`,
    escapeControls(summary),
    ...(url ? [escapeControls(url)] : []),
  ].join(" ");
}
