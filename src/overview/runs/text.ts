/** Renders a run with everything that belongs to it, as text for agents. */

import { escapeControls } from "../../core/lib/strings/display-text.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { filesText, runLine } from "../../feed/runs/text.ts";
import { eventLine } from "../../feed/text.ts";
import type { RunDetail } from "./schema.ts";

export function runText(run: RunDetail, enclose: TagData): string {
  const {
    models,
    lane,
    parent,
    previous,
    next,
    children,
    files,
    assets_made,
    decisions_made,
    briefs,
    recalls,
  } = run;
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
      "Changed",
      filesText(
        files.map(({ path }) => path),
        20,
      ),
    ),
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
