import { Type } from "@sinclair/typebox";
import { feedPage } from "../../../feed/feed.ts";
import { ProjectPath } from "../../../feed/projects/schema.ts";
import { FeedQuery } from "../../../feed/requests.ts";
import { FeedPage } from "../../../feed/schema.ts";
import { feedText } from "../../../feed/text.ts";
import { listDigests } from "../../../memory/digests.ts";
import {
  DigestList,
  DigestsQuery,
  ModelList,
  PreferenceList,
  PreferencesQuery,
} from "../../../memory/list-schemas.ts";
import { guidanceFor, guidanceText } from "../../../memory/models/guidance.ts";
import { Guidance, GuidanceQuery } from "../../../memory/models/schema.ts";
import { listModels } from "../../../memory/models.ts";
import { listPreferences, prefer as setPreference } from "../../../memory/preferences.ts";
import { recalledText } from "../../../memory/recall/recall.ts";
import { Recalled, RecallQuery } from "../../../memory/recall/schema.ts";
import { Preference, PreferInput } from "../../../memory/schema.ts";
import { Brief, BriefQuery } from "../../../overview/memory/brief/schema.ts";
import { getProject as loadProject } from "../../../overview/projects/project-detail.ts";
import { ProjectDetail } from "../../../overview/projects/schema.ts";
import { projectText } from "../../../overview/projects/text.ts";
import { briefForRun, recallForRun } from "../../../overview/runs/run-memory.ts";
import { operation } from "../operation.ts";

export const recall = operation({
  id: "recall",
  tag: "memory",
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
  tag: "memory",
  summary: "Get a project brief",
  description:
    "Call this first in a task. What you need to know about the project for this task: facts and " +
    "check command, rejections not to repeat, relevant decisions, preferences, models, recent " +
    "failures, open reviews. Fits `max_chars` and lists what it leaves out.",
  scope: "memory:read",
  http: { method: "GET", path: "/projects/{slug}/brief", params: { project: "slug" }, errors: [404] },
  tool: { name: "svc_brief", title: "Get a project brief", text: ({ text }) => text },
  input: BriefQuery,
  output: Brief,
  run: briefForRun,
});

export const guidance = operation({
  id: "guidance",
  tag: "memory",
  summary: "Read vendor guidance",
  description:
    "The vendor's official guidance for a model: all of it in order, or the sections that match a query.",
  scope: "memory:read",
  tool: { name: "svc_guidance", title: "Read vendor guidance", text: guidanceText },
  input: GuidanceQuery,
  output: Guidance,
  run: guidanceFor,
});

export const readFeed = operation({
  id: "readFeed",
  tag: "memory",
  summary: "Read the feed as text",
  description: "The same page as svc_get_feed, as text with one event per line. For command-line sessions.",
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
  description: "The same project as svc_get_project, as a few lines of text. For command-line sessions.",
  scope: "memory:read",
  tool: { name: "svc_project", title: "Read a project as text", text: projectText },
  input: ProjectPath,
  output: ProjectDetail,
  run: (ctx, { slug }, caller) => loadProject(ctx, slug, caller),
});

export const prefer = operation({
  id: "prefer",
  tag: "memory",
  summary: "Set a preference",
  description:
    "Sets a key to a value for one project or, without `project`, for all; a project's own value " +
    "takes precedence. The previous value stays in the history.",
  scope: "memory:write",
  writes: true,
  http: { method: "PUT", path: "/preferences", body: "PreferRequest", errors: [404] },
  tool: { name: "svc_prefer", title: "Set a preference", destructive: true, idempotent: true, receipt: true },
  input: PreferInput,
  output: Preference,
  run: setPreference,
});

export const getDigests = operation({
  id: "listDigests",
  tag: "memory",
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
  tag: "memory",
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
  tag: "memory",
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
