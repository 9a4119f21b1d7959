/** A task: an issue, a task of a tracker, or a pull request of a project, and how they belong together. */

import type { Caller } from "../../core/auth/caller.ts";
import { taskNumberOf } from "../../core/task-key.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { ProjectRow } from "../../feed/rows.ts";
import type { TaskOf } from "../../feed/runs/page-url.ts";
import { lostBefore } from "../../feed/runs/runs.ts";
import type { OverviewContext } from "../context.ts";
import type { TaskKey } from "../rows.ts";
import { toTask } from "./listed-task.ts";
import type { ListedTask } from "./schema.ts";

export interface LinkedTask {
  project: ProjectRow;
  listed: ListedTask;
  /** What a pull request belongs to, which is the task of both. */
  taskOfPr: Pick<ListedTask, "issue" | "task"> | null;
}

/** @throws Problem 404 for an unknown project */
export async function findTask(
  ctx: Pick<OverviewContext, "data" | "config" | "now">,
  { project: slug, pr, ...named }: TaskOf & { project: string },
  caller: Pick<Caller, "projects">,
): Promise<LinkedTask> {
  const project = await requireProject(ctx.data, slug, caller);
  const issue = taskNumberOf(named);
  const issueOfPr = issue === null && pr !== null ? await ctx.data.issueOfPullRequest(slug, pr) : null;
  const listed = await listedTask(ctx, { project: slug, issue, pr });
  const taskOfPr =
    issueOfPr === null ? null : await listedTask(ctx, { project: slug, issue: issueOfPr, pr: null });
  return { project, listed, taskOfPr };
}

async function listedTask(
  ctx: Pick<OverviewContext, "data" | "config" | "now">,
  key: TaskKey,
): Promise<ListedTask> {
  const [row] = await ctx.data.taskRows([key], lostBefore(ctx));
  if (!row) throw new Error("A task that was asked for has no row.");
  return toTask(row);
}
