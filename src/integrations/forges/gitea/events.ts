/** Maps webhook events of Gitea and Forgejo to feed events: one entry for each event that is used. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Nullable, TaskNumber } from "../../../core/wire.ts";
import { firstLine, msBetween, runName, spaced } from "../../incoming-webhooks/event-text.ts";
import { Absent, mappingWith, ObjectId, OptionalText } from "../../incoming-webhooks/mapping.ts";
import { jobRun, pipelineRun } from "../../incoming-webhooks/pipeline-run.ts";
import { closedIssue } from "../closing-keywords.ts";
import {
  branchOfPull,
  endedJob,
  HeadRepository,
  ownBranch,
  PullRequestHead,
  workflowJob,
} from "../workflows.ts";

/** Fields that every webhook body has. */
const envelope = {
  repository: Type.Object({ id: ObjectId, full_name: Type.String(), html_url: Type.String() }),
  sender: Type.Object({ id: Type.Optional(Type.Integer()), login: Type.String() }),
};

export type Envelope = Static<TObject<typeof envelope>>;

const defineMapping = mappingWith(envelope);

/** Maps webhook events of Gitea and Forgejo to feed events: one entry for each event that is used. */
const Labels = Type.Optional(Nullable(Type.Array(Type.Object({ id: ObjectId, name: Type.String() }))));

const taskFields = {
  id: ObjectId,
  number: TaskNumber,
  title: Type.String(),
  html_url: OptionalText,
  updated_at: OptionalText,
};

const pullRequest = { ...taskFields, body: OptionalText, head: PullRequestHead };

/** What `review.type` of a review can end with, depending on the version. */
const verdicts: Record<string, string> = {
  approved: "approved",
  rejected: "changes requested",
  comment: "commented",
};

/** The event names the verdict too, but only the body is signed. */
const review = defineMapping({
  members: {
    pull_request: Type.Object(pullRequest),
    review: Type.Object({ type: Type.String(), content: OptionalText }),
  },
  kinds: Object.fromEntries(Object.values(verdicts).map((verdict) => [verdict, "pr.review" as const])),
  toEvent({ pull_request: pull, review: { type, content }, sender, repository }) {
    const verdict = verdicts[type.split("_").at(-1) ?? ""] ?? type;
    return {
      outcome: verdict,
      summary: `PR #${pull.number} ${verdict}: ${firstLine(content) || pull.title}`,
      pr: pull.number,
      url: pull.html_url,
      ...closedIssue(repository.full_name, pull.title, pull.body),
      branch: branchOfPull(pull.head, repository.id),
      change: { id: pull.id, at: pull.updated_at, detail: sender.id },
    };
  },
});

/** A workflow that is run again keeps its id, and its jobs count their attempts on their own. */
const system = "gitea-actions";

export const eventMappings = {
  issues: defineMapping({
    members: {
      action: Type.String(),
      issue: Type.Object({ ...taskFields, labels: Labels }),
      comment: Absent,
    },
    kinds: {
      opened: "issue.opened",
      reopened: "issue.opened",
      labeled: "issue.labeled",
      closed: "issue.closed",
      deleted: "issue.closed",
    },
    toEvent({ action, issue: { id, number, title, html_url, updated_at, labels } }) {
      // The body lists the labels after the change, not what was added.
      const isLabeled = action === "label_updated" && labels && labels.length > 0;
      const names = isLabeled ? ` ${labels.map(({ name }) => name).join(", ")}` : "";
      const outcome = isLabeled ? "labeled" : action;
      return {
        outcome,
        issue: number,
        url: html_url,
        summary: `Issue #${number} ${outcome}${names}: ${title}`,
        change: { id, at: updated_at, detail: isLabeled ? labels.map((label) => label.id).join(",") : "" },
      };
    },
  }),

  pull_request: defineMapping({
    members: {
      action: Type.String(),
      pull_request: Type.Object({ ...pullRequest, merged: Type.Optional(Nullable(Type.Boolean())) }),
      review: Type.Optional(Type.Null()),
    },
    kinds: { opened: "pr.opened", reopened: "pr.opened", merged: "pr.merged", closed: "pr.closed" },
    toEvent({ action, pull_request: pull, repository }) {
      const outcome = action === "closed" && pull.merged ? "merged" : action;
      return {
        outcome,
        pr: pull.number,
        url: pull.html_url,
        ...closedIssue(repository.full_name, pull.title, pull.body),
        branch: branchOfPull(pull.head, repository.id),
        summary: `PR #${pull.number} ${outcome}: ${pull.title}`,
        change: { id: pull.id, at: pull.updated_at },
      };
    },
  }),

  pull_request_approved: review,
  pull_request_rejected: review,
  pull_request_comment: review,

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
