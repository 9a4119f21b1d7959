/** Maps GitHub webhook events to feed events: one entry for each `X-GitHub-Event` that is used. */
import { Type } from "@sinclair/typebox";
import { Nullable, TaskNumber } from "../../../core/wire.ts";
import { deploymentSummary, firstLine, spaced } from "../../incoming-webhooks/event-text.ts";
import { Absent, ObjectId, OptionalDateTime, OptionalText } from "../../incoming-webhooks/mapping.ts";
import { closedIssue } from "../closing-keywords.ts";
import { branchOfPull, PullRequestHead } from "../workflows.ts";
import { defineMapping } from "./envelope.ts";
import { pipelineMappings } from "./pipelines.ts";

const numberAndTitle = { number: TaskNumber, title: Type.String() };
const pullRequest = { ...numberAndTitle, body: OptionalText, head: PullRequestHead };

export const eventMappings = {
  issues: defineMapping({
    members: {
      action: Type.String(),
      issue: Type.Object({
        id: ObjectId,
        ...numberAndTitle,
        html_url: OptionalText,
        updated_at: OptionalDateTime,
      }),
      label: Type.Optional(Type.Object({ id: ObjectId, name: Type.String() })),
      changes: Type.Optional(
        Type.Object({ new_repository: Type.Optional(Type.Object({ full_name: Type.String() })) }),
      ),
      comment: Absent,
    },
    kinds: {
      opened: "issue.opened",
      reopened: "issue.opened",
      labeled: "issue.labeled",
      closed: "issue.closed",
      deleted: "issue.closed",
      transferred: "issue.closed",
    },
    toEvent: ({ action, issue, label, changes }) => ({
      outcome: action,
      summary:
        `Issue #${issue.number} ` +
        `${action}${issueDetail(label?.name, changes?.new_repository?.full_name)}: ${issue.title}`,
      issue: issue.number,
      url: issue.html_url,
      change: { id: issue.id, at: issue.updated_at, detail: label?.id },
    }),
  }),

  pull_request: defineMapping({
    members: {
      action: Type.String(),
      number: TaskNumber,
      pull_request: Type.Object({
        id: ObjectId,
        ...pullRequest,
        merged: Type.Optional(Nullable(Type.Boolean())),
        html_url: OptionalText,
        updated_at: OptionalDateTime,
      }),
    },
    kinds: { opened: "pr.opened", reopened: "pr.opened", merged: "pr.merged", closed: "pr.closed" },
    toEvent({ action, pull_request: pull, repository }) {
      const outcome = action === "closed" && pull.merged ? "merged" : action;
      return {
        outcome,
        summary: `PR #${pull.number} ${outcome}: ${pull.title}`,
        pr: pull.number,
        ...closedIssue(repository.full_name, pull.title, pull.body),
        branch: branchOfPull(pull.head, repository.id),
        url: pull.html_url,
        change: { id: pull.id, at: pull.updated_at },
      };
    },
  }),

  pull_request_review: defineMapping({
    members: {
      action: Type.String(),
      review: Type.Object({
        id: ObjectId,
        state: Type.String(),
        body: OptionalText,
        html_url: OptionalText,
        submitted_at: OptionalDateTime,
      }),
      pull_request: Type.Object(pullRequest),
    },
    kinds: { submitted: "pr.review" },
    toEvent: ({ action, review, pull_request: pull, repository }) => ({
      outcome: action,
      summary: `PR #${pull.number} ${spaced(review.state)}: ${firstLine(review.body) || pull.title}`,
      pr: pull.number,
      ...closedIssue(repository.full_name, pull.title, pull.body),
      branch: branchOfPull(pull.head, repository.id),
      url: review.html_url,
      change: { id: review.id, at: review.submitted_at },
    }),
  }),

  ...pipelineMappings,

  deployment_status: defineMapping({
    members: {
      deployment: Type.Object({
        id: ObjectId,
        production_environment: Type.Optional(Nullable(Type.Boolean())),
      }),
      deployment_status: Type.Object({
        id: ObjectId,
        state: Type.String(),
        environment: OptionalText,
        description: OptionalText,
        updated_at: OptionalDateTime,
        environment_url: OptionalText,
        target_url: OptionalText,
        log_url: OptionalText,
      }),
    },
    kinds: { success: "preview.ready", failure: "preview.failed", error: "preview.failed" },
    toEvent: ({
      deployment,
      deployment_status: { id, state, environment, description, updated_at, ...urls },
    }) => ({
      outcome: state,
      summary:
        deploymentSummary(state === "success", environment, deployment.production_environment) +
        (description ? `: ${description}` : ""),
      url: urls.environment_url || urls.target_url || urls.log_url,
      change: { id, at: updated_at },
    }),
  }),
};

const issueDetail = (label: string | undefined, newRepository: string | undefined): string =>
  `${label === undefined ? "" : ` ${label}`}${newRepository === undefined ? "" : ` to ${newRepository}`}`;
