/** Branches, workflow runs and their jobs, which GitHub and Gitea tell alike. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Nullable } from "../../core/wire.ts";
import { msBetween } from "../incoming-webhooks/event-text.ts";
import { ObjectId, OptionalText } from "../incoming-webhooks/mapping.ts";
import type { PipelineJob } from "../incoming-webhooks/pipeline-run.ts";

/** Where the branch is: a fork's, for a pull request from a fork. */
export const HeadRepository = Type.Optional(Nullable(Type.Object({ id: Type.Optional(ObjectId) })));

/** Where the changes of a pull request come from, which GitHub and Gitea tell alike. */
export const PullRequestHead = Type.Optional(
  Nullable(Type.Object({ ref: Type.Optional(Nullable(Type.String())), repo: HeadRepository })),
);

interface WorkflowRun {
  head_branch?: string | null;
  head_repository?: Static<typeof HeadRepository>;
}

/** The branch, if it is one of the repository: anyone can name a branch of a fork. */
export const ownBranch = (run: WorkflowRun, repositoryId: number): string | null =>
  (run.head_repository?.id ?? repositoryId) === repositoryId ? (run.head_branch ?? null) : null;

/** The same of a pull request, whose fork may have been deleted. */
export const branchOfPull = (
  head: Static<typeof PullRequestHead> | undefined,
  repositoryId: number,
): string | null =>
  head?.repo ? ownBranch({ head_branch: head.ref ?? null, head_repository: head.repo }, repositoryId) : null;

/** Jobs of workflows, which GitHub and Gitea tell alike. */
const Step = Type.Object({ name: Type.String(), conclusion: OptionalText });

/** The fields of `workflow_job` that both send. */
export const workflowJob = {
  id: ObjectId,
  run_id: ObjectId,
  name: Type.String(),
  html_url: OptionalText,
  conclusion: OptionalText,
  started_at: OptionalText,
  completed_at: OptionalText,
  steps: Type.Optional(Nullable(Type.Array(Step))),
};

type WorkflowJob = Omit<Static<TObject<typeof workflowJob>>, "run_id">;

/**
 * The job, if it ended and was not skipped. Without the time of its end, it would seem to be the last of its
 * run.
 */
export function endedJob(job: WorkflowJob, action: string): PipelineJob | undefined {
  const { id, name, html_url: url, conclusion, started_at, completed_at: at, steps } = job;
  if (action !== "completed" || conclusion === "skipped" || !at) return undefined;
  return {
    id,
    name,
    url,
    at,
    outcome: conclusion || action,
    duration_ms: msBetween(started_at, at),
    cause: steps?.find((step) => step.conclusion === "failure")?.name,
  };
}
