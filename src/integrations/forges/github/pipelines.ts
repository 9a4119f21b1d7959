/** Maps GitHub's webhooks of workflows, their jobs, and checks. */
import { Type } from "@sinclair/typebox";
import { Nullable } from "../../../core/wire.ts";
import { checkSummary, msBetween, runName, spaced } from "../../incoming-webhooks/event-text.ts";
import { ObjectId, OptionalDateTime, OptionalText } from "../../incoming-webhooks/mapping.ts";
import { jobRun, pipelineRun } from "../../incoming-webhooks/pipeline-run.ts";
import { endedJob, HeadRepository, ownBranch, workflowJob } from "../workflows.ts";
import { defineMapping, ownPull, PullRequests } from "./envelope.ts";

const system = "github-actions";

/** A workflow that is run again keeps its id. Old versions of GitHub Enterprise Server name no attempt. */
const attemptOf = (run: number, attempt = 1): number[] => [run, attempt];

/** What `workflow_run` tells. Bodies of other events have such a member too, with other actions. */
const toldActions = new Set(["requested", "in_progress", "completed"]);

export const pipelineMappings = {
  workflow_run: defineMapping({
    members: {
      action: Type.String(),
      workflow_run: Type.Object({
        id: ObjectId,
        run_number: ObjectId,
        run_attempt: Type.Optional(ObjectId),
        name: OptionalText,
        head_branch: OptionalText,
        conclusion: OptionalText,
        html_url: OptionalText,
        run_started_at: OptionalDateTime,
        updated_at: OptionalDateTime,
        pull_requests: PullRequests,
        head_repository: HeadRepository,
      }),
    },
    kinds: { completed: "workflow.run" },
    toEvent({ action, workflow_run: run, repository }) {
      const name = runName(run.name, run.run_number, run.head_branch);
      const at = run.updated_at;
      const of = { pr: ownPull(run.pull_requests, repository.id), url: run.html_url };
      const outcome = run.conclusion ?? action;
      const duration_ms = msBetween(run.run_started_at, at);
      return {
        ...of,
        outcome: action,
        duration_ms,
        summary: `${name}: ${spaced(outcome)}`,
        change: { id: run.id, at },
        branch: ownBranch(run, repository.id),
        run: toldActions.has(action)
          ? pipelineRun({
              ...of,
              system,
              ids: attemptOf(run.id, run.run_attempt),
              name,
              at: run.run_started_at,
              ...(action === "completed" && { end: { outcome, at, duration_ms } }),
            })
          : undefined,
      };
    },
  }),

  workflow_job: defineMapping({
    members: {
      action: Type.String(),
      workflow_job: Type.Object({
        ...workflowJob,
        run_attempt: Type.Optional(ObjectId),
        workflow_name: OptionalText,
      }),
    },
    kinds: {},
    toEvent({ action, workflow_job: { run_id, run_attempt, workflow_name, ...job } }) {
      const name = workflow_name ? `${job.name} of ${workflow_name}` : job.name;
      const ended = endedJob({ ...job, name }, action);
      return {
        outcome: job.conclusion || action,
        summary: name,
        url: job.html_url,
        change: { id: job.id, at: job.completed_at },
        run: ended && jobRun(system, attemptOf(run_id, run_attempt), [ended]),
      };
    },
  }),

  /** The end of a check of another CI: GitHub Actions' own repeat what `workflow_run` says. */
  check_run: defineMapping({
    members: {
      action: Type.String(),
      check_run: Type.Object({
        id: ObjectId,
        name: Type.String(),
        conclusion: OptionalText,
        html_url: OptionalText,
        started_at: OptionalDateTime,
        completed_at: OptionalDateTime,
        app: Type.Optional(Nullable(Type.Object({ slug: OptionalText }))),
        check_suite: Type.Optional(Nullable(Type.Object({ head_branch: OptionalText }))),
        pull_requests: PullRequests,
      }),
    },
    kinds: { completed: "workflow.run" },
    toEvent: ({ action, check_run: run, repository }) => ({
      outcome: run.app?.slug === "github-actions" ? `${action} by GitHub Actions` : action,
      summary: checkSummary(run.name, run.check_suite?.head_branch, run.conclusion ?? action),
      pr: ownPull(run.pull_requests, repository.id),
      url: run.html_url,
      duration_ms: msBetween(run.started_at, run.completed_at),
      change: { id: run.id, at: run.completed_at },
    }),
  }),
};
