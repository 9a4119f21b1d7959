/** Maps webhooks of workflows and their jobs in Gitea. */
import { Type } from "@sinclair/typebox";
import { Nullable } from "../../../core/wire.ts";
import { ObjectId, OptionalText } from "../../incoming-webhooks/mapping.ts";
import { jobRun, pipelineRun } from "../../incoming-webhooks/pipeline-run.ts";
import { msBetween, runName, spaced } from "../../incoming-webhooks/summaries.ts";
import { HeadRepository, ownBranch } from "../own-branch.ts";
import { endedJob, workflowJob } from "../workflow-job.ts";
import { defineMapping } from "./envelope.ts";

/** A workflow that is run again keeps its id, and its jobs count their attempts on their own. */
const system = "gitea-actions";

export const pipelineMappings = {
  workflow_run: defineMapping({
    members: {
      action: Type.String(),
      workflow: Type.Optional(Nullable(Type.Object({ name: OptionalText }))),
      workflow_run: Type.Object({
        id: ObjectId,
        run_number: ObjectId,
        display_title: OptionalText,
        html_url: OptionalText,
        head_branch: OptionalText,
        head_repository: HeadRepository,
        conclusion: OptionalText,
        started_at: OptionalText,
        completed_at: OptionalText,
      }),
    },
    kinds: { completed: "workflow.run" },
    toEvent({ action, workflow, workflow_run: run, repository }) {
      const name = runName(workflow?.name || run.display_title, run.run_number, run.head_branch);
      const [started, at] = [known(run.started_at), known(run.completed_at)];
      const outcome = run.conclusion || action;
      const duration_ms = msBetween(started, at);
      const hasEnded = action === "completed";
      const pipeline = { system, ids: [run.id], name, at: started, url: run.html_url } as const;
      return {
        outcome: action,
        url: run.html_url,
        duration_ms,
        summary: `${name}: ${spaced(outcome)}`,
        change: { id: run.id, at },
        branch: ownBranch(run, repository.id),
        run:
          hasEnded || action === "in_progress"
            ? pipelineRun({ ...pipeline, ...(hasEnded && { end: { outcome, at, duration_ms } }) })
            : undefined,
      };
    },
  }),

  workflow_job: defineMapping({
    members: { action: Type.String(), workflow_job: Type.Object(workflowJob) },
    kinds: {},
    toEvent({ action, workflow_job: { run_id, ...job } }) {
      const [started_at, completed_at] = [known(job.started_at), known(job.completed_at)];
      const ended = endedJob({ ...job, started_at, completed_at }, action);
      return {
        outcome: job.conclusion || action,
        summary: job.name,
        url: job.html_url,
        change: { id: job.id, at: completed_at },
        run: ended && jobRun(system, [run_id], [ended]),
      };
    },
  }),
};

/** Gitea writes a missing time as the first of January of the year 1. */
const known = (time: string | null | undefined): string | null =>
  !time || time.startsWith("0001-") ? null : time;
