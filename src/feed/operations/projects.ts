/** Operations on projects and their usage. */

import { operationOf } from "../../core/operation.ts";
import type { FeedContext } from "../context.ts";
import { linkProjectAs, listProjects as loadProjects, projectUsage } from "../projects/projects.ts";
import {
  LinkedProject,
  LinkInput,
  ProjectList,
  ProjectsQuery,
  UsageList,
  UsageQuery,
} from "../projects/schema.ts";
import { usageReport } from "../usage/report.ts";
import { UsageReport, UsageReportQuery } from "../usage/schema.ts";

const operation = operationOf<FeedContext>("projects");

export const listProjects = operation({
  id: "listProjects",
  summary: "List linked projects",
  description: "Linked projects, most recently active first, then by slug.",
  scope: "feed:read",
  stable: true,
  http: { method: "GET", path: "/projects", revalidates: true },
  input: ProjectsQuery,
  output: ProjectList,
  run: (ctx, query, caller) => loadProjects(ctx.data, query, caller),
});

export const linkProject = operation({
  id: "linkProject",
  summary: "Link a project",
  description:
    "Links a project to a repository, whose events are recorded from then on, or changes a linked one: " +
    "fields that are left out stay. For admins.",
  scope: "public",
  token: "admin",
  http: { method: "PUT", path: "/projects/{slug}", body: "LinkProjectRequest", errors: [401, 403, 404, 409] },
  input: LinkInput,
  output: LinkedProject,
  run: linkProjectAs,
});

export const getUsage = operation({
  id: "getUsage",
  summary: "Get a project's usage",
  description:
    "Runs, failures, merges, tokens and cost per UTC day, lane and model. The totals are updated " +
    "with every event.",
  scope: "feed:read",
  http: { method: "GET", path: "/projects/{slug}/usage", revalidates: true, errors: [404] },
  input: UsageQuery,
  output: UsageList,
  run: projectUsage,
});

export const getUsageReport = operation({
  id: "getUsageReport",
  tag: "usage",
  summary: "Report usage and cost",
  description:
    "Runs, tokens and cost of a range of UTC days: by project, model, lane, actor, task or run, in total " +
    "or by day, week or month, and compared with a second range. With `Accept: text/csv`, the rows as CSV.",
  scope: "feed:read",
  http: { method: "GET", path: "/usage", csv: "rows", errors: [404] },
  input: UsageReportQuery,
  output: UsageReport,
  run: usageReport,
});
