/** Renders runs as text for agents. */

import { escapeControls } from "../../core/lib/strings/display-text.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { taskNames } from "../../core/task-key.ts";
import type { Run, RunPage } from "./schema.ts";

export function runsText({ runs, next_cursor }: RunPage, enclose: TagData): string {
  const older = next_cursor === null ? [] : [`Older runs: cursor ${next_cursor}`];
  if (runs.length === 0) return ["No runs.", ...older].join("\n");
  return [
    `${runs.length} runs, newest event first:`,
    enclose("the actor of each run", runs.map(runLine).join("\n")),
    ...older,
  ].join("\n");
}

/** Renders `2026-01-02T03:04Z finished atlas run-7 #12 agent:codex, 12 steps, 61 s, $0.42: Run 7 finished`. */
export function runLine(run: Run): string {
  const { last_event_at, status, project, id, actor, summary } = run;
  return [
    `${last_event_at.slice(0, 16)}Z ${status} ${project} ${escapeControls(id)}`,
    ...taskNames(run),
    `${[escapeControls(actor), ...costOf(run)].join(", ")}:`,
    escapeControls(summary),
  ].join(" ");
}

const namedFilesMax = 3;

/** Renders `src/app.ts, src/map.ts, README.md and 3 more`. */
export function filesText(paths: readonly string[], max = namedFilesMax): string {
  const more = paths.length - max;
  return `${paths.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const costOf = ({ steps, duration_ms, cost_equiv }: Run): string[] => [
  `${steps} step${steps === 1 ? "" : "s"}`,
  ...(duration_ms === null ? [] : [`${Math.round(duration_ms / 1000)} s`]),
  `$${cost_equiv.toFixed(2)}`,
];
