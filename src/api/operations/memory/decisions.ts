/** Operations on decisions. */
import { listDecisions } from "../../../memory/decision-history.ts";
import { retireDecision as endDecision, recordCallerDecision } from "../../../memory/decisions.ts";
import {
  AllDecisionsQuery,
  DecisionList,
  DecisionPath,
  DecisionRecord,
  DecisionsQuery,
  RetireInput,
} from "../../../memory/list-schemas.ts";
import { Decided, DecideInput } from "../../../memory/schema.ts";
import { getDecision as loadDecision } from "../../../overview/memory/decision-detail.ts";
import { DecisionDetail } from "../../../overview/memory/decision-schema.ts";
import { DecisionUses, DecisionUsesQuery, listDecisionUses } from "../../../overview/runs/decision-uses.ts";
import { operation } from "../operation.ts";

export const decide = operation({
  id: "decide",
  tag: "memory",
  summary: "Record a decision",
  description:
    "Records one decision that applies from now on. To replace a decision, pass its id as " +
    "`supersedes`. A decision identical to a current one is not added again. Do not record what " +
    "the code itself shows.",
  scope: "memory:write",
  writes: true,
  http: { method: "POST", path: "/decisions", body: "DecideRequest", errors: [404, 409] },
  tool: { name: "svc_decide", title: "Record a decision", idempotent: true, receipt: true },
  input: DecideInput,
  output: Decided,
  run: recordCallerDecision,
});

export const getDecisions = operation({
  id: "listDecisions",
  tag: "memory",
  summary: "List decisions",
  description:
    "Decisions of a project, newest first: the current ones, those that were superseded, or both. " +
    "With `as_of`, as they were at that time.",
  scope: "memory:read",
  http: { method: "GET", path: "/projects/{slug}/decisions", errors: [404] },
  input: DecisionsQuery,
  output: DecisionList,
  run: (ctx, { slug, ...query }, caller) => listDecisions(ctx, { ...query, project: slug }, caller),
});

export const getAllDecisions = operation({
  id: "listAllDecisions",
  tag: "memory",
  summary: "List decisions of all projects",
  description: "Like the decisions of one project, but of all that you may read, newest first.",
  scope: "memory:read",
  http: { method: "GET", path: "/decisions", errors: [404] },
  input: AllDecisionsQuery,
  output: DecisionList,
  run: listDecisions,
});

export const getDecision = operation({
  id: "getDecision",
  tag: "memory",
  summary: "Get a decision",
  description: "One decision with its history: what it replaced, what replaced it, and where it came from.",
  scope: "memory:read",
  http: { method: "GET", path: "/decisions/{id}", errors: [404] },
  input: DecisionPath,
  output: DecisionDetail,
  run: (ctx, { id }, caller) => loadDecision(ctx, id, caller),
});

export const getDecisionUses = operation({
  id: "listDecisionUses",
  tag: "memory",
  summary: "List the briefs that carried a decision",
  description: "Each brief that carried the decision, with the run that was given it, newest first.",
  scope: "memory:read",
  http: { method: "GET", path: "/decisions/{id}/briefs", errors: [404] },
  input: DecisionUsesQuery,
  output: DecisionUses,
  run: listDecisionUses,
});

export const retireDecision = operation({
  id: "retireDecision",
  tag: "memory",
  summary: "Retire a decision",
  description:
    "Ends a current decision without replacing it. It stays in the history. To replace it, record a " +
    "decision that supersedes it.",
  scope: "memory:write",
  writes: true,
  http: { method: "POST", path: "/decisions/{id}/retire", body: "RetireRequest", errors: [404, 409] },
  tool: { name: "svc_retire_decision", title: "Retire a decision", destructive: true, receipt: true },
  input: RetireInput,
  output: DecisionRecord,
  run: endDecision,
});
