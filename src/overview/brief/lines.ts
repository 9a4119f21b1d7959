/** The lines of a brief, by what they tell. */

import { lazy } from "../../core/lib/lazy.ts";
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { type TagData, tagLengthMin } from "../../core/lib/strings/untrusted-text.ts";
import { dayOf } from "../../core/lib/time.ts";
import { taskWords } from "../../core/task-key.ts";
import type { ProjectRow, UsageRow } from "../../feed/rows.ts";
import type { Event } from "../../feed/schema.ts";
import type { Asset } from "../../library/assets/schema.ts";
import type { ConfirmedDecision, DecisionRow, ModelRow, PreferenceRow } from "../../memory/rows.ts";
import type { LateEntry } from "./text-budget.ts";

/** The columns of a decision that a brief shows. */
export type BriefDecision = ConfirmedDecision & { standing?: DecisionRow["standing"] };

/** What a project states of itself, one line each. */
export function projectFacts({ check_cmd, stack, summary, lanes }: ProjectRow): string[] {
  const fact = (name: string, text: string | null) =>
    text ? [`- ${name}: ${text.split("\n").map(escapeControls).join("\n  ")}`] : [];
  return [
    ...fact("Check changes with", check_cmd),
    ...fact("Summary", summary),
    ...fact("Built with", stack),
    ...fact("Lanes", lanes.join(", ")),
  ];
}

/** @param newer the id of a newer decision that says the opposite */
export const decisionEntry = (
  { id, valid_from, text, actor }: BriefDecision,
  enclose: TagData,
  newer?: number,
): LateEntry => {
  const line = (day: string) => `- ${day}, decision ${id}${oppositeText(newer)}: `;
  return {
    lengthMin: line(anyDay).length + tagLengthMin + actor.length + text.length,
    full: lazy(() => `${line(dayOf(valid_from))}${enclose(actor, text)}`),
  };
};

/** As long as any other. */
export const anyDay = "2026-01-01";

export const oppositeText = (newer: number | undefined): string =>
  newer === undefined ? "" : ` (the newer decision ${newer} says the opposite)`;

export const preferenceLine = ({ key, value, project, actor }: PreferenceRow, enclose: TagData): string =>
  `- ${key}${project === null ? " (all projects)" : ""}: ${enclose(actor, value)}`;

/** The requested model; without one, the models that work in a lane of the project. */
export function modelLines(models: ModelRow[], project: ProjectRow, requested: string | undefined): string[] {
  const worksHere = ({ lanes }: ModelRow) =>
    project.lanes.length === 0 || lanes.some((lane) => project.lanes.includes(lane));
  return models
    .filter((model) => (requested === undefined ? worksHere(model) : model.id === requested))
    .map(({ id, provider, guidance_count, refreshed_at }) => {
      const when = refreshed_at === null ? "never refreshed" : `refreshed ${dayOf(refreshed_at)}`;
      const name = escapeControls(id);
      return (
        `- ${name} (${escapeControls(provider)}): ${guidance_count} guidance sections, ${when}; ` +
        `svc_guidance {"model": "${name}"}`
      );
    });
}

export function failureLine({ ts, kind, actor, summary, ...of }: Event): string {
  const what = `${ts.slice(0, 10)}, ${kind}${ofTask(of)}`;
  return `- ${what}, by ${escapeControls(actor)}: ${escapeControls(summary)}`;
}

export const reviewLine = ({ id, created_at, created_by, kind, version, title, ...of }: Asset): string =>
  `- ${created_at.slice(0, 10)}, asset ${id} (${kind}, version ${version}${ofTask(of)}), ` +
  `by ${escapeControls(created_by)}: ${escapeControls(title)}`;

const ofTask = (of: Pick<Asset, "issue" | "task">): string => {
  const words = taskWords(of);
  return words === null ? "" : `, ${words}`;
};

/** One line of usage: a day, lane, or model with its runs, failures, tokens, and cost. */
export function rollupLine({
  day,
  lane,
  model,
  runs,
  failures,
  merges,
  tokens_in,
  tokens_out,
  cost_equiv,
}: UsageRow): string {
  const who = [day, lane, model].filter(Boolean).map(escapeControls).join(", ");
  const counted = Object.entries({
    [runs === 1 ? "run" : "runs"]: runs,
    failed: failures,
    merged: merges,
    "tokens in": tokens_in,
    "tokens out": tokens_out,
  });
  const facts = counted.filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`);
  return `- ${who}: ${[...facts, ...(cost_equiv > 0 ? [`$${cost_equiv.toFixed(2)}`] : [])].join(", ")}`;
}
