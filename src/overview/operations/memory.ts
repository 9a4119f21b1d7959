/** Operations on memory that read across the rooms: the brief, recall, search. */

import { operationOf } from "../../core/operation.ts";
import { DecisionPath } from "../../memory/list-schemas.ts";
import { recalledText } from "../../memory/recall/recall.ts";
import { Recalled, RecallQuery } from "../../memory/recall/schema.ts";
import { Brief, BriefQuery } from "../brief/schema.ts";
import type { OverviewContext } from "../context.ts";
import { getDecision as loadDecision } from "../memory/decision-detail.ts";
import { DecisionDetail } from "../memory/decision-schema.ts";
import { DecisionUses, DecisionUsesQuery, listDecisionUses } from "../runs/decision-uses.ts";
import { briefForRun, recallForRun } from "../runs/run-memory.ts";
import { SearchQuery, SearchResults } from "../search/schema.ts";
import { search as searchAll } from "../search/search.ts";

const operation = operationOf<OverviewContext>("memory");

export const getDecision = operation({
  id: "getDecision",
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
  summary: "List the briefs that carried a decision",
  description: "Each brief that carried the decision, with the run that was given it, newest first.",
  scope: "memory:read",
  http: { method: "GET", path: "/decisions/{id}/briefs", errors: [404] },
  input: DecisionUsesQuery,
  output: DecisionUses,
  run: listDecisionUses,
});

export const recall = operation({
  id: "recall",
  summary: "Search project memory",
  description:
    "Full-text search of decisions, preferences, review notes, vendor guidance and events, best " +
    "match first. Search before you decide something: it may already be decided. Each hit says who " +
    "wrote it, when, and which words matched.",
  scope: "memory:read",
  http: { method: "GET", path: "/recall", errors: [404] },
  tool: { name: "svc_recall", title: "Search project memory", text: recalledText },
  input: RecallQuery,
  output: Recalled,
  run: recallForRun,
});

export const brief = operation({
  id: "brief",
  summary: "Get a project brief",
  description:
    "Call this first in a task. What you need to know about the project for this task: facts and " +
    "check command, rejections not to repeat, relevant decisions, preferences, models, recent " +
    "failures, open reviews. Fits `max_chars` and lists what it leaves out.",
  scope: "memory:read",
  http: { method: "GET", path: "/projects/{slug}/brief", params: { project: "slug" }, errors: [404] },
  tool: {
    name: "svc_brief",
    title: "Get a project brief",
    text: ({ text }) => text,
    unlistedFields: ["own_run", "task", "files"],
  },
  input: BriefQuery,
  output: Brief,
  run: briefForRun,
});

export const search = operation({
  id: "search",
  tag: "info",
  summary: "Search everything",
  description:
    "Tasks, projects, assets, memory, runs, events, and the documentation in one query, by group. Groups " +
    "that the token has no scope for are left out; without a token, only the documentation and what is " +
    "public is searched.",
  scope: "public",
  http: { method: "GET", path: "/search" },
  input: SearchQuery,
  output: SearchResults,
  run: searchAll,
});
