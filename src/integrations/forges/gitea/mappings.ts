/** Maps webhook events of Gitea and Forgejo to feed events: one entry for each event that is used. */
import { Type } from "@sinclair/typebox";
import { Nullable, TaskNumber } from "../../../core/wire.ts";
import { Absent, ObjectId, OptionalText } from "../../incoming-webhooks/mapping.ts";
import { firstLine } from "../../incoming-webhooks/summaries.ts";
import { closedIssue } from "../closing-keywords.ts";
import { branchOfPull, PullRequestHead } from "../own-branch.ts";
import { defineMapping } from "./envelope.ts";
import { pipelineMappings } from "./pipelines.ts";

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

  ...pipelineMappings,
};
