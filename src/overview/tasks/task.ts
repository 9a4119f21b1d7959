/** A task: an issue or a pull request of a project, and how both belong together. */

import type { Caller } from "../../core/auth/caller.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { ProjectRow } from "../../feed/rows.ts";
import type { Run } from "../../feed/runs/schema.ts";
import type { OverviewContext } from "../context.ts";

export interface LinkedTask {
  project: ProjectRow;
  /** The pull requests of an issue. */
  pullRequests: number[];
  /** The issue of a pull request. */
  issueOfPr: number | null;
}

const pullRequestsMax = 20;

/** @throws Problem 404 for an unknown project */
export async function findTask(
  { data }: Pick<OverviewContext, "data">,
  { project: slug, issue, pr }: Pick<Run, "issue" | "pr" | "project">,
  caller: Pick<Caller, "projects">,
): Promise<LinkedTask> {
  const project = await requireProject(data, slug, caller);
  return {
    project,
    pullRequests: issue === null ? [] : await data.pullRequestsOf(slug, issue, pullRequestsMax),
    issueOfPr: pr === null ? null : await data.issueOfPullRequest(slug, pr),
  };
}
