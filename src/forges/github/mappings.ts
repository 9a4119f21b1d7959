/** Maps GitHub webhook events to feed events: one entry for each `X-GitHub-Event` that is used. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import {
  Absent,
  mappingWith,
  ObjectId,
  OptionalDateTime,
  OptionalText,
} from "../../incoming-webhooks/mapping.ts";
import {
  deploymentSummary,
  firstLine,
  msBetween,
  runSummary,
  spaced,
} from "../../incoming-webhooks/summaries.ts";
import { Nullable, TaskNumber } from "../../wire.ts";

const numberAndTitle = { number: TaskNumber, title: Type.String() };

/** Fields that every webhook body has. */
export const envelope = {
  repository: Type.Object({ id: ObjectId, full_name: Type.String(), html_url: OptionalText }),
  sender: Type.Object({ login: Type.String(), type: OptionalText }),
};
export type Envelope = Static<TObject<typeof envelope>>;

const defineMapping = mappingWith(envelope);

const PullRequests = Type.Optional(
  Nullable(
    Type.Array(
      Type.Object({ number: TaskNumber, base: Type.Object({ repo: Type.Object({ id: ObjectId }) }) }),
    ),
  ),
);

/** GitHub also lists pull requests of forks that have a branch with this name. */
const ownPull = (pulls: Static<typeof PullRequests> | undefined, repository: number): number | null =>
  pulls?.find(({ base }) => base.repo.id === repository)?.number ?? null;

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
      ...{ opened: "issue.opened", reopened: "issue.opened", labeled: "issue.labeled" },
      ...{ closed: "issue.closed", deleted: "issue.closed", transferred: "issue.closed" },
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
        ...numberAndTitle,
        merged: Type.Optional(Nullable(Type.Boolean())),
        html_url: OptionalText,
        updated_at: OptionalDateTime,
      }),
    },
    kinds: { opened: "pr.opened", reopened: "pr.opened", merged: "pr.merged", closed: "pr.closed" },
    toEvent({ action, pull_request: pull }) {
      const outcome = action === "closed" && pull.merged ? "merged" : action;
      return {
        outcome,
        summary: `PR #${pull.number} ${outcome}: ${pull.title}`,
        pr: pull.number,
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
      pull_request: Type.Object(numberAndTitle),
    },
    kinds: { submitted: "pr.review" },
    toEvent: ({ action, review, pull_request: pull }) => ({
      outcome: action,
      summary: `PR #${pull.number} ${spaced(review.state)}: ${firstLine(review.body) || pull.title}`,
      pr: pull.number,
      url: review.html_url,
      change: { id: review.id, at: review.submitted_at },
    }),
  }),

  workflow_run: defineMapping({
    members: {
      action: Type.String(),
      workflow_run: Type.Object({
        ...{
          id: ObjectId,
          run_number: ObjectId,
          name: OptionalText,
          head_branch: OptionalText,
          conclusion: OptionalText,
          html_url: OptionalText,
        },
        ...{ run_started_at: OptionalDateTime, updated_at: OptionalDateTime },
        pull_requests: PullRequests,
      }),
    },
    kinds: { completed: "workflow.run" },
    toEvent: ({ action, workflow_run: run, repository }) => ({
      outcome: action,
      summary: runSummary(run.name, run.run_number, run.head_branch, run.conclusion ?? action),
      pr: ownPull(run.pull_requests, repository.id),
      url: run.html_url,
      duration_ms: msBetween(run.run_started_at, run.updated_at),
      change: { id: run.id, at: run.updated_at },
    }),
  }),

  /** The end of a check of another CI: GitHub Actions' own repeat what `workflow_run` says. */
  check_run: defineMapping({
    members: {
      action: Type.String(),
      check_run: Type.Object({
        ...{ id: ObjectId, name: Type.String(), conclusion: OptionalText, html_url: OptionalText },
        ...{ started_at: OptionalDateTime, completed_at: OptionalDateTime },
        app: Type.Optional(Nullable(Type.Object({ slug: OptionalText }))),
        check_suite: Type.Optional(Nullable(Type.Object({ head_branch: OptionalText }))),
        pull_requests: PullRequests,
      }),
    },
    kinds: { completed: "workflow.run" },
    toEvent: ({ action, check_run: run, repository }) => ({
      outcome: run.app?.slug === "github-actions" ? `${action} by GitHub Actions` : action,
      summary: runSummary(run.name, null, run.check_suite?.head_branch, run.conclusion ?? action),
      pr: ownPull(run.pull_requests, repository.id),
      url: run.html_url,
      duration_ms: msBetween(run.started_at, run.completed_at),
      change: { id: run.id, at: run.completed_at },
    }),
  }),

  deployment_status: defineMapping({
    members: {
      deployment: Type.Object({
        id: ObjectId,
        production_environment: Type.Optional(Nullable(Type.Boolean())),
      }),
      deployment_status: Type.Object({
        ...{
          id: ObjectId,
          state: Type.String(),
          environment: OptionalText,
          description: OptionalText,
          updated_at: OptionalDateTime,
        },
        ...{ environment_url: OptionalText, target_url: OptionalText, log_url: OptionalText },
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
