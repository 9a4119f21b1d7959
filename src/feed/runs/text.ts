/** Renders runs as text for agents. */

import { escapeControls } from "../../core/lib/strings/display-text.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { eventLine } from "../text.ts";
import type { Run, RunDetail, RunPage } from "./schema.ts";

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
  const { last_event_at, status, project, id, issue, pr, actor, summary } = run;
  const task = [issue && `#${issue}`, pr && `PR ${pr}`].filter(Boolean);
  return [
    `${last_event_at.slice(0, 16)}Z ${status} ${project} ${escapeControls(id)}`,
    ...task,
    `${[escapeControls(actor), ...costOf(run)].join(", ")}:`,
    escapeControls(summary),
  ].join(" ");
}

const costOf = ({ steps, duration_ms, cost_equiv }: Run): string[] => [
  `${steps} step${steps === 1 ? "" : "s"}`,
  ...(duration_ms === null ? [] : [`${Math.round(duration_ms / 1000)} s`]),
  `$${cost_equiv.toFixed(2)}`,
];

export function runText(run: RunDetail, enclose: TagData): string {
  const { models, lane, parent, previous, next, children, assets_made, decisions_made, briefs, recalls } =
    run;
  const named = (name: string, text: string | null | undefined) => (text ? [`- ${name}: ${text}`] : []);
  const ids = (list: readonly { id: string | number }[]) => list.map(({ id }) => id).join(", ");
  const facts = [
    ...named("Started", `${run.started_at}${run.ended_at ? `, ended ${run.ended_at}` : ""}`),
    ...named("Models", models.join(", ")),
    ...named("Lane", lane),
    ...named("Tokens", `${run.tokens_in} in, ${run.tokens_out} out, ${run.cache_read} read from cache`),
    ...named("Started by run", parent),
    ...named("Attempt before", previous?.id),
    ...named("Attempt after", next?.id),
    ...named("Runs it started", ids(children)),
    ...named(
      "Assets",
      assets_made.map(({ id, version, status }) => `${id} (v${version}, ${status})`).join(", "),
    ),
    ...named("Decisions", ids(decisions_made)),
    ...briefs.flatMap(({ at, chars, decisions }) =>
      named(
        "Brief",
        `${at}, ${chars} characters${decisions.length > 0 ? `, decisions ${decisions.join(", ")}` : ""}`,
      ),
    ),
    ...recalls.flatMap(({ query, hits }) => named("Searched", `"${query}", ${hits} hits`)),
  ].map(escapeControls);
  return enclose(
    "the actor of the run",
    [runLine(run), ...facts, "Events:", ...run.events.map(eventLine)].join("\n"),
  );
}
