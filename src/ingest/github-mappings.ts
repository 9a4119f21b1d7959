/** What GitHub delivers, in the words of the feed: one row for each name that stands for events. */
import { type Static, type TObject, type TProperties, Type } from "@sinclair/typebox";
import type { EventKind } from "../feed/schema.ts";
import type { Appendable } from "../rows.ts";
import { DateTime, Nullable, TaskNumber } from "../wire.ts";

const Id = Type.Integer({ minimum: 1 });
const Text = Type.Optional(Nullable(Type.String()));
const Instant = Type.Optional(Nullable(DateTime()));
const Absent = Type.Optional(Type.Never());
const task = { number: TaskNumber, title: Type.String() };

export type Repository = Static<typeof envelope.repository>;

/** What every body has. */
const envelope = {
  repository: Type.Object({ id: Id, full_name: Type.String() }),
  sender: Type.Object({ login: Type.String(), type: Text }),
};
export type Envelope = Static<TObject<typeof envelope>>;

/** What a body tells. */
export interface Told extends Pick<Appendable, "issue" | "pr" | "duration_ms"> {
  /** What became of the object; an outcome without a kind is no event. */
  outcome: string;
  summary: string;
  url: string | null | undefined;
  /**
   * What is signed of the change: the object, when it changed, and what tells two changes of one instant
   * apart.
   */
  change: { id: number; at: string | null | undefined; label?: number | undefined };
}

interface Row<T extends TProperties> {
  /** Members that a body of this name has, and its twins of other names do not. */
  members: T;
  /** By outcome. */
  kinds: Record<string, EventKind>;
  tell(body: Static<TObject<T & typeof envelope>>): Told;
}

export const mappings = {
  issues: mapping({
    members: {
      action: Type.String(),
      issue: Type.Object({ id: Id, ...task, html_url: Text, updated_at: Instant }),
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
    tell: ({ action, issue, label, changes }) => ({
      outcome: action,
      summary: `Issue #${issue.number} ${action}${detailOf(label?.name, changes?.new_repository?.full_name)}: ${issue.title}`,
      issue: issue.number,
      url: issue.html_url,
      change: { id: issue.id, at: issue.updated_at, label: label?.id },
    }),
  }),

  pull_request: mapping({
    members: {
      action: Type.String(),
      number: TaskNumber,
      pull_request: Type.Object({
        id: Id,
        ...task,
        merged: Type.Optional(Nullable(Type.Boolean())),
        html_url: Text,
        updated_at: Instant,
      }),
    },
    kinds: { opened: "pr.opened", reopened: "pr.opened", merged: "pr.merged", closed: "pr.closed" },
    tell({ action, pull_request: pull }) {
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

  pull_request_review: mapping({
    members: {
      action: Type.String(),
      review: Type.Object({
        id: Id,
        state: Type.String(),
        body: Text,
        html_url: Text,
        submitted_at: Instant,
      }),
      pull_request: Type.Object(task),
    },
    kinds: { submitted: "pr.review" },
    tell: ({ action, review, pull_request: pull }) => ({
      outcome: action,
      summary: `PR #${pull.number} ${words(review.state)}: ${firstLine(review.body) || pull.title}`,
      pr: pull.number,
      url: review.html_url,
      change: { id: review.id, at: review.submitted_at },
    }),
  }),

  workflow_run: mapping({
    members: {
      action: Type.String(),
      workflow_run: Type.Object({
        ...{ id: Id, run_number: Id, name: Text, head_branch: Text, conclusion: Text, html_url: Text },
        ...{ run_started_at: Instant, updated_at: Instant },
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
    tell: ({ action, workflow_run: run, repository }) => ({
      outcome: action,
      summary: `${run.name || "Workflow"} #${run.run_number} on ${run.head_branch || "no branch"}: ${words(run.conclusion ?? action)}`,
      // Pull requests of a fork, from a branch of the same name, are listed as well.
      pr: run.pull_requests?.find(({ base }) => base.repo.id === repository.id)?.number ?? null,
      url: run.html_url,
      duration_ms: msBetween(run.run_started_at, run.updated_at),
      change: { id: run.id, at: run.updated_at },
    }),
  }),

  deployment_status: mapping({
    members: {
      deployment: Type.Object({ id: Id, production_environment: Type.Optional(Nullable(Type.Boolean())) }),
      deployment_status: Type.Object({
        ...{ id: Id, state: Type.String(), environment: Text, description: Text, updated_at: Instant },
        ...{ environment_url: Text, target_url: Text, log_url: Text },
      }),
    },
    kinds: { success: "preview.ready", failure: "preview.failed", error: "preview.failed" },
    tell: ({
      deployment,
      deployment_status: { id, state, environment, description, updated_at, ...urls },
    }) => ({
      outcome: state,
      summary: `${deployed(state === "success", environment, deployment.production_environment)}${description ? `: ${description}` : ""}`,
      url: urls.environment_url || urls.target_url || urls.log_url,
      change: { id, at: updated_at },
    }),
  }),
};

/** Not in the feed: a linked repository has another name from now on. `full_name` is the new one. */
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

/** `owner/name` before a rename or a transfer; null where the delivery is about something else. */
export function formerName({ action, changes, repository }: RepositoryEvent): string | null {
  const [owner, name] = repository.full_name.split("/");
  const from = changes?.owner?.from;
  const formerOwner = (from?.user ?? from?.organization)?.login;
  if (action === "renamed" && changes?.repository) return `${owner}/${changes.repository.name.from}`;
  return action === "transferred" && formerOwner ? `${formerOwner}/${name}` : null;
}

/** The first delivery of a webhook: what it was set up to send. */
export const Ping = Type.Object({
  hook: Type.Optional(Type.Object({ events: Type.Array(Type.String()) })),
  repository: Type.Optional(envelope.repository),
});

/** Names of events that add to the feed or keep it right. */
export const usedEvents = (): string[] => [...Object.keys(mappings), "repository"];

function mapping<T extends TProperties>({ members, kinds, tell }: Row<T>) {
  // biome-ignore lint/suspicious/noExplicitAny: rows of different bodies stand in one table; the schema is checked first
  return { schema: Type.Object({ ...members, ...envelope }), kinds, tell: tell as (body: any) => Told };
}

const detailOf = (label: string | undefined, newRepository: string | undefined): string =>
  `${label === undefined ? "" : ` ${label}`}${newRepository === undefined ? "" : ` to ${newRepository}`}`;

/** Payloads of older servers do not say whether an environment is production; its name does. */
function deployed(
  isSuccess: boolean,
  environment: string | null | undefined,
  isProduction: boolean | null | undefined,
): string {
  const name = environment || "no environment";
  if (isProduction ?? /^prod(uction)?$/i.test(name))
    return `Deployment to ${name} ${isSuccess ? "succeeded" : "failed"}`;
  return `Preview ${isSuccess ? "ready" : "failed"} in ${name}`;
}

const words = (name: string): string => name.replaceAll("_", " ");

const firstLine = (text: string | null | undefined): string => text?.trim().split("\n", 1)[0] ?? "";

function msBetween(start: string | null | undefined, end: string | null | undefined): number | null {
  const tookMs = Date.parse(end ?? "") - Date.parse(start ?? "");
  return tookMs >= 0 ? tookMs : null;
}
