/** GitHub events of a task, with the summaries that the webhook ingestion would write. */

import type { Micros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import type { EventKind } from "../../../src/feed/schema.ts";
import type { NumberedItem } from "../draft.ts";
import { bots, type DemoProject, urlOf } from "../team.ts";
import type { Task } from "./tasks.ts";

/** A task with its opening time and its issue and pull request. */
export interface ScheduledTask {
  project: DemoProject;
  task: Task;
  /** Numbered when they are opened. */
  issue: NumberedItem;
  pull: NumberedItem;
  opened: Micros;
  /** When the issue was closed, once it was. */
  closed?: Micros;
}

type EventFields = Omit<Appendable, "ts">;

export const projectFields = ({ slug, repo }: DemoProject) => ({ project: slug, repo });

/** `what`: opened, reopened, labeled bug, closed. */
export function issueEvent(
  { project, task, issue: { number } }: ScheduledTask,
  actor: string,
  what: string,
): EventFields {
  const kind = `issue.${what.replace(/^re| .*/g, "")}` as EventKind;
  const summary = `Issue #${number} ${what}: ${task.issueTitle}`;
  return {
    kind,
    actor,
    summary,
    ...projectFields(project),
    issue: number,
    url: urlOf(project.repo, `issues/${number}`),
  };
}

export function pullRequestEvent(
  { project, task, pull: { number } }: ScheduledTask,
  actor: string,
  what: "opened" | "merged" | "closed",
): EventFields {
  const summary = `PR #${number} ${what}: ${task.pullTitle}`;
  return {
    kind: `pr.${what}`,
    actor,
    summary,
    ...projectFields(project),
    pr: number,
    url: urlOf(project.repo, `pull/${number}`),
  };
}

/** A pull request review; without a comment its summary repeats the title. */
export function reviewEvent(
  { project, task, pull: { number } }: ScheduledTask,
  actor: string,
  state: string,
  comment = "",
): EventFields {
  const summary = `PR #${number} ${state}: ${comment || task.pullTitle}`;
  return {
    kind: "pr.review",
    actor,
    summary,
    ...projectFields(project),
    pr: number,
    url: urlOf(project.repo, `pull/${number}#review`),
  };
}

/** `213-read-the-calendar` */
export const branchOf = ({ task, issue }: ScheduledTask): string =>
  [issue.number, ...(task.pullTitle?.toLowerCase().match(/[a-z]+/g) ?? []).slice(0, 3)].join("-");

export function checksEvent(
  { project, pull }: ScheduledTask,
  run: NumberedItem,
  branch: string,
  conclusion: string,
  duration_ms: number,
): EventFields {
  const summary = `${project.workflow.name} #${run.number} on ${branch}: ${conclusion}`;
  const url = urlOf(project.repo, `actions/runs/${9_310_000_000 + run.number * 7919}`);
  return {
    kind: "workflow.run",
    actor: bots.ci,
    summary,
    ...projectFields(project),
    pr: pull.number,
    duration_ms,
    url,
  };
}

export function previewEvent(
  { project, pull: { number } }: ScheduledTask,
  preview: NonNullable<DemoProject["preview"]>,
  fails: boolean,
): EventFields {
  const summary =
    `Preview ${fails ? "failed" : "ready"} in ${preview.environment(number)}: ` +
    `${fails ? preview.fails : preview.says}`;
  const kind = fails ? "preview.failed" : "preview.ready";
  return { kind, actor: bots.ci, summary, ...projectFields(project), pr: number, url: preview.url(number) };
}
