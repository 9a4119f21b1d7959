/** Maps Bitbucket Cloud webhook events to feed events: one entry for each `X-Event-Key` that is used. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Nullable, TaskNumber } from "../../../core/wire.ts";
import { checkSummary } from "../../incoming-webhooks/event-text.ts";
import { Absent, mappingWith, OptionalText } from "../../incoming-webhooks/mapping.ts";
import { closedIssue } from "../closing-keywords.ts";

/** Fields that every webhook body has. */
export const envelope = {
  repository: Type.Object({ uuid: Type.String(), full_name: Type.String() }),
  actor: Type.Optional(
    Nullable(
      Type.Object({
        nickname: OptionalText,
        display_name: OptionalText,
        uuid: OptionalText,
        type: OptionalText,
      }),
    ),
  ),
};
export type Envelope = Static<TObject<typeof envelope>>;

const defineMapping = mappingWith(envelope);

const links = Type.Optional(Type.Object({ html: Type.Optional(Type.Object({ href: OptionalText })) }));
const taskFields = {
  id: TaskNumber,
  title: Type.String(),
  state: Type.String(),
  links,
  updated_on: OptionalText,
};
const pullFields = {
  ...taskFields,
  description: OptionalText,
  source: Type.Optional(
    Nullable(
      Type.Object({
        branch: Type.Optional(Nullable(Type.Object({ name: OptionalText }))),
        repository: Type.Optional(Nullable(Type.Object({ full_name: OptionalText }))),
      }),
    ),
  ),
};
const pullrequest = Type.Object(pullFields);
type PullBody = Static<TObject<typeof envelope>> & { pullrequest: Static<typeof pullrequest> };

/** The issue that a pull request closes, and its branch, if it is one of the repository. */
const taskOfPull = ({ repository, pullrequest: { title, description, source } }: PullBody) => ({
  ...closedIssue(repository.full_name, title, description),
  branch: source?.repository?.full_name === repository.full_name ? (source.branch?.name ?? null) : null,
});

/** Events of a pull request differ in their names alone, and names are not signed: its state has to fit. */
const pullInState = (state: string, outcome: string, kind: "pr.opened" | "pr.merged" | "pr.closed") =>
  defineMapping({
    members: { pullrequest: Type.Object({ ...pullFields, state: Type.Literal(state) }), approval: Absent },
    kinds: { [outcome]: kind },
    toEvent: (body) => {
      const { id, title, links, updated_on } = body.pullrequest;
      return {
        outcome,
        pr: id,
        url: links?.html?.href,
        ...taskOfPull(body),
        summary: `PR #${id} ${outcome}: ${title}`,
        change: { id, at: updated_on },
      };
    },
  });

const Review = Type.Object({ date: OptionalText });
const reviewEvent = (outcome: string, body: PullBody, { date }: Static<typeof Review>) => {
  const { id, title, links } = body.pullrequest;
  return {
    outcome,
    pr: id,
    url: links?.html?.href,
    ...taskOfPull(body),
    summary: `PR #${id} ${outcome}: ${title}`,
    change: { id, at: date, detail: body.actor?.uuid ?? undefined },
  };
};

const closedStates = new Set(["resolved", "closed", "invalid", "duplicate", "wontfix"]);

export const eventMappings = {
  "pullrequest:created": pullInState("OPEN", "opened", "pr.opened"),
  "pullrequest:fulfilled": pullInState("MERGED", "merged", "pr.merged"),
  "pullrequest:rejected": pullInState("DECLINED", "declined", "pr.closed"),

  "pullrequest:approved": defineMapping({
    members: { pullrequest, approval: Review },
    kinds: { approved: "pr.review" },
    toEvent: (body) => reviewEvent("approved", body, body.approval),
  }),
  "pullrequest:changes_request_created": defineMapping({
    members: { pullrequest, changes_request: Review },
    kinds: { "changes requested": "pr.review" },
    toEvent: (body) => reviewEvent("changes requested", body, body.changes_request),
  }),

  "issue:created": defineMapping({
    members: { issue: Type.Object(taskFields), comment: Absent, changes: Absent },
    kinds: { opened: "issue.opened" },
    toEvent: ({ issue: { id, title, links, updated_on } }) => ({
      outcome: "opened",
      issue: id,
      url: links?.html?.href,
      summary: `Issue #${id} opened: ${title}`,
      change: { id, at: updated_on },
    }),
  }),
  "issue:updated": defineMapping({
    members: {
      issue: Type.Object(taskFields),
      changes: Type.Object({
        status: Type.Optional(Nullable(Type.Object({ old: OptionalText, new: OptionalText }))),
      }),
    },
    kinds: { closed: "issue.closed", reopened: "issue.opened" },
    toEvent({ issue: { id, title, links, updated_on }, changes }) {
      const [before, after] = [changes.status?.old, changes.status?.new].map((state) =>
        state ? closedStates.has(state) : null,
      );
      const outcome =
        after === true && !before ? "closed" : before && after === false ? "reopened" : "updated";
      return {
        outcome,
        issue: id,
        url: links?.html?.href,
        summary: `Issue #${id} ${outcome}: ${title}`,
        change: { id, at: updated_on },
      };
    },
  }),

  ...Object.fromEntries(
    ["repo:commit_status_created", "repo:commit_status_updated"].map((name) => [name, commitStatus()]),
  ),
};

/** The end of a build, of Bitbucket's pipelines or of another service. */
function commitStatus() {
  return defineMapping({
    members: {
      commit_status: Type.Object({
        state: Type.String(),
        key: Type.String(),
        name: OptionalText,
        refname: OptionalText,
        url: OptionalText,
        updated_on: OptionalText,
      }),
    },
    kinds: { successful: "workflow.run", failed: "workflow.run", stopped: "workflow.run" },
    toEvent({ commit_status: { state, key, name, refname, url, updated_on } }) {
      const outcome = state.toLowerCase();
      return {
        outcome,
        url,
        summary: checkSummary(name || key, refname, outcome),
        change: { id: key, at: updated_on },
      };
    },
  });
}
