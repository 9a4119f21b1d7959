/** Operations on decisions, preferences and guidance. */

import { Type } from "@sinclair/typebox";
import { operationOf } from "../core/operation.ts";
import { setAnchors, reportAnchors as takeReport } from "./anchor-reports.ts";
import { AnchorReport, AnchorsInput, AnchorsReported } from "./anchor-schema.ts";
import { listProjectChecks, recordStop, setChecks } from "./checks/checks.ts";
import { CheckList, ChecksInput, ProjectChecksQuery, StopInput, Stopped } from "./checks/schema.ts";
import { listDigests } from "./consolidate.ts";
import type { MemoryContext } from "./context.ts";
import { listDecisions } from "./decision-history.ts";
import { retireDecision as endDecision, recordCallerDecision } from "./decisions.ts";
import {
  AllDecisionsQuery,
  DecisionList,
  DecisionPath,
  DecisionRecord,
  DecisionsQuery,
  DigestList,
  DigestsQuery,
  ModelList,
  PreferenceList,
  PreferencesQuery,
  RetiredDecision,
  RetireInput,
  RewordInput,
} from "./list-schemas.ts";
import { guidanceFor, guidanceText } from "./models/guidance.ts";
import { Guidance, GuidanceQuery } from "./models/schema.ts";
import { listModels } from "./models.ts";
import { listPreferences, prefer as setPreference } from "./preferences.ts";
import { confirmDecision as confirm, dropDecision as drop } from "./proposals.ts";
import { rewordDecision as changeWords } from "./reword.ts";
import { Decided, DecideInput, Preference, PreferInput } from "./schema.ts";

const operation = operationOf<MemoryContext>("memory");

export const decide = operation({
  id: "decide",
  summary: "Record a decision",
  description:
    "Records one decision that applies from now on. To replace a decision, pass its id as " +
    "`supersedes`. A decision identical to a current one is not added again. Do not record what " +
    "the code itself shows.",
  scope: "memory:write",
  http: { method: "POST", path: "/decisions", body: "DecideRequest", errors: [404, 409] },
  tool: {
    name: "svc_decide",
    title: "Record a decision",
    idempotent: true,
    // A person confirms a check before it does anything, and adds it with the decision.
    unlistedFields: ["checks"],
  },
  input: DecideInput,
  output: Decided,
  run: recordCallerDecision,
});

export const getDecisions = operation({
  id: "listDecisions",
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
  summary: "List decisions of all projects",
  description: "Like the decisions of one project, but of all that you may read, newest first.",
  scope: "memory:read",
  http: { method: "GET", path: "/decisions", errors: [404] },
  input: AllDecisionsQuery,
  output: DecisionList,
  run: listDecisions,
});

export const retireDecision = operation({
  id: "retireDecision",
  summary: "Retire a decision",
  description:
    "Ends a current decision without replacing it. It stays in the history. To replace it, record a " +
    "decision that supersedes it. Its checks apply until a person confirms an agent's retirement.",
  scope: "memory:write",
  http: { method: "POST", path: "/decisions/{id}/retire", body: "RetireRequest", errors: [404, 409] },
  tool: {
    name: "svc_retire_decision",
    title: "Retire a decision",
    destructive: true,
  },
  input: RetireInput,
  output: RetiredDecision,
  run: endDecision,
});

export const rewordDecision = operation({
  id: "rewordDecision",
  summary: "Change the words of a rejection",
  description:
    "Replaces the decision that a rejection became by one with other words. Briefs carry them from then " +
    "on; the note of the review stays.",
  scope: "assets:review",
  http: { method: "POST", path: "/decisions/{id}/reword", body: "RewordRequest", errors: [404, 409] },
  input: RewordInput,
  output: DecisionRecord,
  run: changeWords,
});

const ofProposal = {
  scope: "assets:review",
  input: DecisionPath,
  output: DecisionRecord,
} as const;

export const confirmDecision = operation({
  ...ofProposal,
  id: "confirmDecision",
  summary: "Confirm a proposed decision",
  description: "Confirms what an agent decided: briefs carry it among the decisions of people from then on.",
  http: { method: "POST", path: "/decisions/{id}/confirm", media: null, errors: [404, 409] },
  run: confirm,
});

export const dropDecision = operation({
  ...ofProposal,
  id: "dropDecision",
  summary: "Drop a proposed decision",
  description: "Ends what an agent decided. A decision that it replaced applies again, with a new id.",
  http: { method: "POST", path: "/decisions/{id}/drop", media: null, errors: [404, 409] },
  run: drop,
});

export const setDecisionChecks = operation({
  id: "setDecisionChecks",
  summary: "Set the checks of a decision",
  description:
    "Replaces what programs check of a decision: before commands of agents, at the end of turns, and in " +
    "`svc check`. What an agent proposed is saved if it is among them.",
  scope: "assets:review",
  http: { method: "PUT", path: "/decisions/{id}/checks", body: "ChecksRequest", errors: [404, 409] },
  input: ChecksInput,
  output: DecisionRecord,
  run: setChecks,
});

export const setDecisionAnchors = operation({
  id: "setDecisionAnchors",
  summary: "Set the files of a decision",
  description:
    "Replaces the files and symbols that a decision speaks of. Without any it applies for what its words " +
    "say, and no one is asked about it when files go.",
  scope: "assets:review",
  http: { method: "PUT", path: "/decisions/{id}/anchors", body: "AnchorsRequest", errors: [404, 409] },
  input: AnchorsInput,
  output: DecisionRecord,
  run: setAnchors,
});

export const reportAnchors = operation({
  id: "reportAnchors",
  summary: "Report which files of decisions are left",
  description:
    "Hooks send the Git ids of the files that decisions speak of, as the default branch has them: never " +
    "from a branch that is not merged. A decision whose files are all gone ranks lower, and a person is " +
    "asked.",
  scope: "feed:write",
  http: { method: "POST", path: "/projects/{slug}/anchors", body: "AnchorReport", errors: [404] },
  input: AnchorReport,
  output: AnchorsReported,
  run: takeReport,
});

export const getProjectChecks = operation({
  id: "listProjectChecks",
  summary: "List the checks of a project",
  description: "The checks that people saved for current decisions, with their words and authors.",
  scope: "checks:read",
  http: { method: "GET", path: "/projects/{slug}/checks", errors: [404] },
  input: ProjectChecksQuery,
  output: CheckList,
  run: listProjectChecks,
});

export const reportStop = operation({
  id: "reportStop",
  summary: "Report that a check stopped something",
  description: "Hooks and `svc check` count on the decision what its checks stopped.",
  scope: "feed:write",
  http: { method: "POST", path: "/decisions/{id}/stops", body: "StopRequest", errors: [404] },
  input: StopInput,
  output: Stopped,
  run: recordStop,
});

export const guidance = operation({
  id: "guidance",
  summary: "Read vendor guidance",
  description:
    "The vendor's official guidance for a model: all of it in order, or the sections that match a query.",
  scope: "memory:read",
  tool: { name: "svc_guidance", title: "Read vendor guidance", text: guidanceText },
  input: GuidanceQuery,
  output: Guidance,
  run: guidanceFor,
});

export const prefer = operation({
  id: "prefer",
  summary: "Set a preference",
  description:
    "Sets a key to a value for one project or, without `project`, for all; a project's own value " +
    "takes precedence. The previous value stays in the history.",
  scope: "memory:write",
  http: { method: "PUT", path: "/preferences", body: "PreferRequest", errors: [404] },
  tool: {
    name: "svc_prefer",
    title: "Set a preference",
    destructive: true,
    idempotent: true,
  },
  input: PreferInput,
  output: Preference,
  run: setPreference,
});

export const getDigests = operation({
  id: "listDigests",
  summary: "List digests by day",
  description: "Totals per UTC day that `svc consolidate` has summarized into memory, newest day first.",
  scope: "memory:read",
  http: { method: "GET", path: "/projects/{slug}/digests", errors: [404] },
  input: DigestsQuery,
  output: DigestList,
  run: listDigests,
});

export const getModels = operation({
  id: "listModels",
  summary: "List models",
  description: "The models that svc keeps vendor guidance for, and how old it is.",
  scope: "memory:read",
  http: { method: "GET", path: "/models" },
  input: Type.Object({}),
  output: ModelList,
  run: (ctx) => listModels(ctx),
});

export const getPreferences = operation({
  id: "listPreferences",
  summary: "List preferences",
  description:
    "Current preferences: those of a project together with the global ones that it does not " +
    "override, or only the global ones.",
  scope: "memory:read",
  http: { method: "GET", path: "/preferences", errors: [404] },
  input: PreferencesQuery,
  output: PreferenceList,
  run: listPreferences,
});
