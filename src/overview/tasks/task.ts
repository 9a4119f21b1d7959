/** A task: an issue or a pull request of a project, and how both belong together. */

import type { Caller } from "../../core/auth/caller.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { ProjectRow } from "../../feed/rows.ts";
import { lostBefore } from "../../feed/runs/runs.ts";
import type { Run } from "../../feed/runs/schema.ts";
import type { OverviewContext } from "../context.ts";
import { toTask } from "./listed-task.ts";
import type { ListedTask } from "./schema.ts";

export interface LinkedTask {
  project: ProjectRow;
  listed: ListedTask;
  /** The issue of a pull request, which is the task of both. */
  issueOfPr: number | null;
}

/** @throws Problem 404 for an unknown project */
export async function findTask(
  ctx: Pick<OverviewContext, "data" | "config" | "now">,
  { project: slug, issue, pr }: Pick<Run, "issue" | "pr" | "project">,
  caller: Pick<Caller, "projects">,
): Promise<LinkedTask> {
  const project = await requireProject(ctx.data, slug, caller);
  const issueOfPr = issue === null && pr !== null ? await ctx.data.issueOfPullRequest(slug, pr) : null;
  const [row] = await ctx.data.taskRows([{ project: slug, issue, pr }], lostBefore(ctx));
  if (!row) throw new Error("A task that was asked for has no row.");
  return { project, listed: toTask(row), issueOfPr };
}
