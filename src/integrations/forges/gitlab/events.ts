/** Maps GitLab webhook events to feed events: one entry for each `object_kind` that is used. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Nullable, TaskNumber } from "../../../core/wire.ts";
import { deploymentSummary, spaced } from "../../incoming-webhooks/event-text.ts";
import { ObjectId, OptionalText } from "../../incoming-webhooks/mapping.ts";
import { closedIssue } from "../closing-keywords.ts";
import { defineMapping, gitlabTime } from "./envelope.ts";
import { pipelineMappings } from "./pipelines.ts";

const Labels = Type.Optional(Nullable(Type.Array(Type.Object({ id: ObjectId, title: Type.String() }))));

const taskFields = {
  id: ObjectId,
  iid: TaskNumber,
  title: Type.String(),
  action: OptionalText,
  url: OptionalText,
  updated_at: OptionalText,
};

const issueMembers = {
  object_attributes: Type.Object(taskFields),
  changes: Type.Optional(
    Nullable(
      Type.Object({
        labels: Type.Optional(Type.Object({ previous: Labels, current: Labels })),
      }),
    ),
  ),
};
type IssueBody = Static<TObject<typeof issueMembers>>;

/** GitLab calls work items other than issues, such as tasks and incidents, `work_item`. */
const issue = defineMapping({
  members: issueMembers,
  kinds: {
    opened: "issue.opened",
    reopened: "issue.opened",
    closed: "issue.closed",
    labeled: "issue.labeled",
  },
  toEvent({ object_attributes: { id, iid, title, action, url, updated_at }, changes }) {
    const added = action === "update" ? addedLabels(changes) : [];
    const outcome = added.length > 0 ? "labeled" : outcomeOf(action);
    const names = added.map((label) => ` ${label.title}`).join(",");
    return {
      outcome,
      url,
      issue: iid,
      summary: `Issue #${iid} ${outcome}${names}: ${title}`,
      change: { id, at: gitlabTime(updated_at), detail: added.map((label) => label.id).join(",") },
    };
  },
});

export const eventMappings = {
  issue,
  work_item: issue,

  merge_request: defineMapping({
    members: {
      object_attributes: Type.Object({
        ...taskFields,
        description: OptionalText,
        source_branch: Type.String(),
        source_project_id: Type.Optional(Nullable(Type.Integer())),
      }),
    },
    kinds: {
      opened: "pr.opened",
      reopened: "pr.opened",
      merged: "pr.merged",
      closed: "pr.closed",
      // `approved` is the last approval that was required, `approval` any other.
      approved: "pr.review",
      unapproved: "pr.review",
    },
    toEvent({ object_attributes, user, project }) {
      const { id, iid, title, description, action, url, updated_at, ...source } = object_attributes;
      const outcome = outcomeOf(action);
      const isReview = outcome.endsWith("approved");
      return {
        outcome,
        url,
        pr: iid,
        ...closedIssue(project.path_with_namespace, title, description),
        branch: source.source_project_id === project.id ? source.source_branch : null,
        summary: `MR !${iid} ${outcome}: ${title}`,
        // Two people can approve in the same second.
        change: { id, at: gitlabTime(updated_at), detail: isReview ? user?.id : undefined },
      };
    },
  }),

  ...pipelineMappings,

  deployment: defineMapping({
    members: {
      status: Type.String(),
      deployment_id: ObjectId,
      status_changed_at: OptionalText,
      environment: OptionalText,
      environment_tier: OptionalText,
      environment_external_url: OptionalText,
      deployable_url: OptionalText,
    },
    kinds: { success: "preview.ready", failed: "preview.failed" },
    toEvent: ({ status, deployment_id, status_changed_at, environment, environment_tier, ...urls }) => ({
      outcome: status,
      summary: deploymentSummary(
        status === "success",
        environment,
        environment_tier ? environment_tier === "production" : null,
      ),
      url: urls.environment_external_url || urls.deployable_url,
      change: { id: deployment_id, at: gitlabTime(status_changed_at) },
    }),
  }),
};

const outcomes: Record<string, string> = {
  open: "opened",
  reopen: "reopened",
  close: "closed",
  merge: "merged",
  approval: "approved",
  unapproval: "unapproved",
};
const outcomeOf = (action: string | null | undefined): string =>
  action && Object.hasOwn(outcomes, action) ? (outcomes[action] as string) : spaced(action ?? "change");

function addedLabels(changes: IssueBody["changes"]) {
  const { previous, current } = changes?.labels ?? {};
  const before = new Set(previous?.map(({ id }) => id));
  return (current ?? []).filter(({ id }) => !before.has(id));
}
