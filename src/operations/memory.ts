import { feedPage } from "../feed/feed.ts";
import { FeedPage, FeedQuery } from "../feed/schema.ts";
import { feedText } from "../feed/text.ts";
import { brief as compileBrief } from "../memory/brief.ts";
import { recordCallerDecision } from "../memory/decisions.ts";
import { prefer as setPreference } from "../memory/preferences.ts";
import { recalledText, recall as recallMemories } from "../memory/recall.ts";
import {
  Brief,
  BriefQuery,
  Decided,
  DecideInput,
  Preference,
  PreferInput,
  Recalled,
  RecallQuery,
} from "../memory/schema.ts";
import { guidanceFor, guidanceText } from "../models/guidance.ts";
import { Guidance, GuidanceQuery } from "../models/schema.ts";
import { getProject as projectInFull } from "../projects/projects.ts";
import { ProjectDetail, ProjectPath } from "../projects/schema.ts";
import { projectText } from "../projects/text.ts";
import { operation } from "./operation.ts";

export const recall = operation({
  id: "recall",
  tag: "memory",
  summary: "Recall what is known",
  description:
    "Searches decisions, preferences, notes of reviews, vendors' guidance and events by words, the best first. Ask before you decide something: it may be decided. Each hit says who said it, when, and which words found it.",
  scope: "memory:read",
  tool: { name: "svc_recall", title: "Recall what is known", text: recalledText },
  input: RecallQuery,
  output: Recalled,
  run: recallMemories,
});

export const brief = operation({
  id: "brief",
  tag: "memory",
  summary: "Compile a brief",
  description:
    "Call it first in a task. What to know of a project for what you are about to do: facts and check command, rejections that must not be repeated, the decisions that bear on it, preferences, models, recent failures, open reviews. It fits `max_chars` and says what it leaves out.",
  scope: "memory:read",
  tool: { name: "svc_brief", title: "Compile a brief", text: ({ text }) => text },
  input: BriefQuery,
  output: Brief,
  run: compileBrief,
});

export const guidance = operation({
  id: "guidance",
  tag: "memory",
  summary: "Read a vendor's guidance",
  description:
    "What the vendor of a model officially advises for it: all of it in its order, or what a query is about.",
  scope: "memory:read",
  tool: { name: "svc_guidance", title: "Read a vendor's guidance", text: guidanceText },
  input: GuidanceQuery,
  output: Guidance,
  run: guidanceFor,
});

export const readFeed = operation({
  id: "readFeed",
  tag: "memory",
  summary: "Read the feed as text",
  description: "The same page as svc_get_feed, an event a line: for a session at a command line.",
  scope: "memory:read",
  tool: { name: "svc_feed", title: "Read the feed as text", text: feedText },
  input: FeedQuery,
  output: FeedPage,
  run: (ctx, query, caller) => feedPage(ctx.data, ctx.config, query, caller),
});

export const readProject = operation({
  id: "readProject",
  tag: "memory",
  summary: "Read a project as text",
  description: "The same project as svc_get_project, in a few lines: for a session at a command line.",
  scope: "memory:read",
  tool: { name: "svc_project", title: "Read a project as text", text: projectText },
  input: ProjectPath,
  output: ProjectDetail,
  run: (ctx, { slug }, caller) => projectInFull(ctx, slug, caller),
});

export const decide = operation({
  id: "decide",
  tag: "memory",
  summary: "Record a decision",
  description:
    "Records one decision that holds from now on. Name the decision it replaces as `supersedes`. What a current decision says already is not added again. Do not record what the code itself shows.",
  scope: "memory:write",
  writes: true,
  http: { method: "POST", path: "/decisions", body: "DecideRequest", errors: [404, 409] },
  tool: { name: "svc_decide", title: "Record a decision", idempotent: true, receipt: true },
  input: DecideInput,
  output: Decided,
  run: recordCallerDecision,
});

export const prefer = operation({
  id: "prefer",
  tag: "memory",
  summary: "Set a preference",
  description:
    "Sets a key to a value for one project, or, without `project`, for all; a project's own value wins. The value before stays in history.",
  scope: "memory:write",
  writes: true,
  tool: { name: "svc_prefer", title: "Set a preference", destructive: true, idempotent: true, receipt: true },
  input: PreferInput,
  output: Preference,
  run: setPreference,
});
