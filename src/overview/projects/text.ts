/** Renders a project as text for agents. */

import { placeName } from "../../core/forges/schema.ts";
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { eventLine } from "../../feed/text.ts";
import type { ProjectDetail } from "./schema.ts";

export function projectText(project: ProjectDetail, enclose: TagData): string {
  const {
    slug,
    stack,
    summary,
    check_cmd,
    branch_pattern,
    task_url,
    lanes,
    openIssues,
    digest,
    decisions,
    models,
    events,
  } = project;
  const fact = (name: string, text: string | null) =>
    text ? [`${name}: ${text.split("\n").map(escapeControls).join("\n  ")}`] : [];
  const part = (title: string, lines: string[]) => (lines.length > 0 ? [[title, ...lines].join("\n")] : []);
  return [
    [
      `${slug} (${placeName(project)})`,
      ...fact("check", check_cmd),
      ...fact("branch pattern", branch_pattern),
      ...fact("tasks at", task_url),
      ...fact("stack", stack),
      ...fact("summary", summary),
      ...fact("lanes", lanes.join(", ")),
      `${openIssues} open issues, ${digest.digested} of ${digest.total} events summarized`,
    ].join("\n"),
    ...part(
      "Decisions, newest first:",
      decisions.map(
        ({ id, valid_from, source, text }) =>
          `${id}, since ${valid_from.slice(0, 10)}: ${enclose(source, text)}`,
      ),
    ),
    ...part(
      "Models:",
      models.map(
        ({ id, provider, status, guidance_count }) =>
          `${escapeControls(id)} (${escapeControls(provider)}): ${status}, ` +
          `${guidance_count} guidance sections`,
      ),
    ),
    ...part(
      "Events, newest first:",
      events.length > 0 ? [enclose("the actor of each event", events.map(eventLine).join("\n"))] : [],
    ),
  ].join("\n\n");
}
