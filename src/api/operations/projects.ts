import { listProjects as loadProjects, projectUsage } from "../../feed/projects/projects.ts";
import {
  ProjectList,
  ProjectPath,
  ProjectsQuery,
  UsageList,
  UsageQuery,
} from "../../feed/projects/schema.ts";
import { getProject as loadProject } from "../../overview/projects/project-detail.ts";
import { ProjectDetail } from "../../overview/projects/schema.ts";
import { operation } from "./operation.ts";

export const listProjects = operation({
  id: "listProjects",
  tag: "projects",
  summary: "List linked projects",
  description: "Linked projects, most recently active first, then by slug.",
  scope: "feed:read",
  stable: true,
  http: { method: "GET", path: "/projects", revalidates: true },
  input: ProjectsQuery,
  output: ProjectList,
  run: (ctx, query, caller) => loadProjects(ctx.data, query, caller),
});

export const getProject = operation({
  id: "getProject",
  tag: "projects",
  summary: "Get a project",
  description: "One project with its current decisions, the models of its lanes, and its 20 newest events.",
  scope: "feed:read",
  stable: true,
  http: { method: "GET", path: "/projects/{slug}", revalidates: true, errors: [404] },
  tool: { name: "svc_get_project", title: "Get a project" },
  input: ProjectPath,
  output: ProjectDetail,
  run: (ctx, { slug }, caller) => loadProject(ctx, slug, caller),
});

export const getUsage = operation({
  id: "getUsage",
  tag: "projects",
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
