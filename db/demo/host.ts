/** What the source host says of a task, in the words that its deliveries get. */

import type { EventKind } from "../../src/feed/schema.ts";
import type { Micros } from "../../src/lib/time.ts";
import type { Appendable } from "../../src/rows.ts";
import type { Numbered } from "./draft.ts";
import type { Task } from "./tasks.ts";
import { addressOf, type Cast, robots } from "./team.ts";

export interface Life {
  project: Cast;
  task: Task;
  /** They get their numbers when they are opened. */
  issue: Numbered;
  pull: Numbered;
  opened: Micros;
}

type Said = Omit<Appendable, "ts">;

export const placeOf = ({ slug, repo }: Cast) => ({ project: slug, repo });

/** `what`: opened, labeled bug, closed. */
export function onIssue({ project, task, issue: { number } }: Life, actor: string, what: string): Said {
  const kind = `issue.${what.split(" ")[0]}` as EventKind;
  const summary = `Issue #${number} ${what}: ${task.asks}`;
  return {
    kind,
    actor,
    summary,
    ...placeOf(project),
    issue: number,
    url: addressOf(project.repo, `issues/${number}`),
  };
}

export function onPull(
  { project, task, pull: { number } }: Life,
  actor: string,
  what: "opened" | "merged" | "closed",
): Said {
  const summary = `PR #${number} ${what}: ${task.does}`;
  return {
    kind: `pr.${what}`,
    actor,
    summary,
    ...placeOf(project),
    pr: number,
    url: addressOf(project.repo, `pull/${number}`),
  };
}

/** A review without a word of its own repeats the title. */
export function onReview(
  { project, task, pull: { number } }: Life,
  actor: string,
  state: string,
  says = "",
): Said {
  const summary = `PR #${number} ${state}: ${says || task.does}`;
  return {
    kind: "pr.review",
    actor,
    summary,
    ...placeOf(project),
    pr: number,
    url: addressOf(project.repo, `pull/${number}#review`),
  };
}

/** `213-read-the-calendar` */
export const branchOf = ({ task, issue }: Life): string =>
  [issue.number, ...(task.does?.toLowerCase().match(/[a-z]+/g) ?? []).slice(0, 3)].join("-");

export function onChecks(
  { project, pull }: Life,
  run: Numbered,
  branch: string,
  conclusion: string,
  duration_ms: number,
): Said {
  const summary = `${project.workflow.name} #${run.number} on ${branch}: ${conclusion}`;
  const url = addressOf(project.repo, `actions/runs/${9_310_000_000 + run.number * 7919}`);
  return {
    kind: "workflow.run",
    actor: robots.ci,
    summary,
    ...placeOf(project),
    pr: pull.number,
    duration_ms,
    url,
  };
}

export function onPreview(
  { project, pull: { number } }: Life,
  preview: NonNullable<Cast["preview"]>,
  fails: boolean,
): Said {
  const summary = `Preview ${fails ? "failed" : "ready"} in ${preview.environment(number)}: ${fails ? preview.fails : preview.says}`;
  const kind = fails ? "preview.failed" : "preview.ready";
  return { kind, actor: robots.ci, summary, ...placeOf(project), pr: number, url: preview.url(number) };
}
