/** Maps GitHub webhook events to feed events: one entry for each `X-GitHub-Event` that is used. */
import { type Static, type TObject, type TProperties, Type } from "@sinclair/typebox";
import type { EventKind } from "../feed/schema.ts";
import type { Appendable } from "../rows.ts";
import { DateTime, Nullable, TaskNumber } from "../wire.ts";

const Id = Type.Integer({ minimum: 1 });
const OptionalText = Type.Optional(Nullable(Type.String()));
const OptionalDateTime = Type.Optional(Nullable(DateTime()));
const Absent = Type.Optional(Type.Never());
const numberAndTitle = { number: TaskNumber, title: Type.String() };

export type Repository = Static<typeof envelope.repository>;

/** Fields that every webhook body has. */
const envelope = {
  repository: Type.Object({ id: Id, full_name: Type.String() }),
  sender: Type.Object({ login: Type.String(), type: OptionalText }),
};
export type Envelope = Static<TObject<typeof envelope>>;

/** What a webhook body says about the event. */
export interface MappedEvent extends Pick<Appendable, "issue" | "pr" | "duration_ms"> {
  /** What happened to the object. An outcome that `kinds` does not list adds no event. */
  outcome: string;
  summary: string;
  url: string | null | undefined;
  /**
   * Identifies the change from signed fields, for the dedupe key: the object, when it changed, and the label,
   * because two labels can be added at the same time.
   */
  change: { id: number; at: string | null | undefined; label?: number | undefined };
}

interface EventMapping<T extends TProperties> {
  /** Fields that identify a body of this event: similar events lack them. */
  members: T;
  /** Event kind by outcome. */
  kinds: Record<string, EventKind>;
  toEvent(body: Static<TObject<T & typeof envelope>>): MappedEvent;
}

export const eventMappings = {
  issues: defineMapping({
    members: {
      action: Type.String(),
      issue: Type.Object({ id: Id, ...numberAndTitle, html_url: OptionalText, updated_at: OptionalDateTime }),
      label: Type.Optional(Type.Object({ id: Id, name: Type.String() })),
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
      change: { id: issue.id, at: issue.updated_at, label: label?.id },
    }),
  }),

  pull_request: defineMapping({
    members: {
      action: Type.String(),
      number: TaskNumber,
      pull_request: Type.Object({
        id: Id,
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
        id: Id,
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
          id: Id,
          run_number: Id,
          name: OptionalText,
          head_branch: OptionalText,
          conclusion: OptionalText,
          html_url: OptionalText,
        },
        ...{ run_started_at: OptionalDateTime, updated_at: OptionalDateTime },
        pull_requests: Type.Optional(
          Nullable(
            Type.Array(
              Type.Object({ number: TaskNumber, base: Type.Object({ repo: Type.Object({ id: Id }) }) }),
            ),
          ),
        ),
      }),
    },
    kinds: { completed: "workflow.run" },
    toEvent: ({ action, workflow_run: run, repository }) => ({
      outcome: action,
      summary:
        `${run.name || "Workflow"} #${run.run_number}${run.head_branch ? ` on ${run.head_branch}` : ""}: ` +
        spaced(run.conclusion ?? action),
      // GitHub also lists pull requests of forks that have a branch with this name.
      pr: run.pull_requests?.find(({ base }) => base.repo.id === repository.id)?.number ?? null,
      url: run.html_url,
      duration_ms: msBetween(run.run_started_at, run.updated_at),
      change: { id: run.id, at: run.updated_at },
    }),
  }),

  deployment_status: defineMapping({
    members: {
      deployment: Type.Object({ id: Id, production_environment: Type.Optional(Nullable(Type.Boolean())) }),
      deployment_status: Type.Object({
        ...{
          id: Id,
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

/** A repository was renamed or transferred. Adds no event; `full_name` is the new name. */
export const RepositoryEvent = Type.Object({
  action: Type.String(),
  changes: Type.Optional(
    Type.Object({
      repository: Type.Optional(Type.Object({ name: Type.Object({ from: Type.String() }) })),
      owner: Type.Optional(
        Type.Object({
          from: Type.Object({
            user: Type.Optional(Nullable(Type.Object({ login: Type.String() }))),
            organization: Type.Optional(Nullable(Type.Object({ login: Type.String() }))),
          }),
        }),
      ),
    }),
  ),
  ...envelope,
});
export type RepositoryEvent = Static<typeof RepositoryEvent>;

/** Returns `owner/name` from before a rename or transfer, or null for any other action. */
export function previousName({ action, changes, repository }: RepositoryEvent): string | null {
  const [owner, name] = repository.full_name.split("/");
  const from = changes?.owner?.from;
  const formerOwner = (from?.user ?? from?.organization)?.login;
  if (action === "renamed" && changes?.repository) return `${owner}/${changes.repository.name.from}`;
  return action === "transferred" && formerOwner ? `${formerOwner}/${name}` : null;
}

/** The first delivery of a new webhook. It lists the events the webhook is set up to send. */
export const Ping = Type.Object({
  hook: Type.Optional(Type.Object({ events: Type.Array(Type.String()) })),
  repository: Type.Optional(envelope.repository),
});

/** Names of the GitHub events that svc uses: those that add events, and renames of repositories. */
export const supportedEvents = (): string[] => [...Object.keys(eventMappings), "repository"];

function defineMapping<T extends TProperties>({ members, kinds, toEvent }: EventMapping<T>) {
  return {
    schema: Type.Object({ ...members, ...envelope }),
    kinds,
    // biome-ignore lint/suspicious/noExplicitAny: the table mixes body types; `schema` is checked first
    toEvent: toEvent as (body: any) => MappedEvent,
  };
}

const issueDetail = (label: string | undefined, newRepository: string | undefined): string =>
  `${label === undefined ? "" : ` ${label}`}${newRepository === undefined ? "" : ` to ${newRepository}`}`;

/** Older GitHub Enterprise servers omit `production_environment`; then the environment's name decides. */
function deploymentSummary(
  isSuccess: boolean,
  environment: string | null | undefined,
  isProduction: boolean | null | undefined,
): string {
  if (isProduction ?? /^prod(uction)?$/i.test(environment ?? ""))
    return `Deployment to ${environment || "production"} ${isSuccess ? "succeeded" : "failed"}`;
  return `Preview ${isSuccess ? "ready" : "failed"}${environment ? ` in ${environment}` : ""}`;
}

const spaced = (name: string): string => name.replaceAll("_", " ");

const firstLine = (text: string | null | undefined): string => text?.trim().split("\n", 1)[0] ?? "";

function msBetween(start: string | null | undefined, end: string | null | undefined): number | null {
  const tookMs = Date.parse(end ?? "") - Date.parse(start ?? "");
  return tookMs >= 0 ? tookMs : null;
}
