/** Jobs of workflows, which GitHub and Gitea tell alike. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Nullable } from "../../core/wire.ts";
import { ObjectId, OptionalText } from "../incoming-webhooks/mapping.ts";
import type { PipelineJob } from "../incoming-webhooks/pipeline-run.ts";
import { msBetween } from "../incoming-webhooks/summaries.ts";

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
