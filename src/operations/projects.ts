import {
  getProject as projectInFull,
  listProjects as projectsPage,
  projectUsage,
} from "../projects/projects.ts";
import {
  ProjectDetail,
  ProjectList,
  ProjectPath,
  ProjectsQuery,
  UsageList,
  UsageQuery,
} from "../projects/schema.ts";
import { operation } from "./operation.ts";

export const listProjects = operation({
  id: "listProjects",
  tag: "projects",
  summary: "List linked projects",
  description: "Linked projects, the most recently active first, then by slug.",
  scope: "feed:read",
  stable: true,
  http: { method: "GET", path: "/projects", revalidates: true },
  input: ProjectsQuery,
  output: ProjectList,
  run: (ctx, query, caller) => projectsPage(ctx.data, query, caller),
});

export const getProject = operation({
  id: "getProject",
  tag: "projects",
  summary: "Read one project",
  description: "One project with its current decisions, the models of its lanes and its 20 newest events.",
  scope: "feed:read",
  stable: true,
  http: { method: "GET", path: "/projects/{slug}", revalidates: true, errors: [404] },
  tool: { name: "svc_get_project", title: "Read one project" },
  input: ProjectPath,
  output: ProjectDetail,
  run: (ctx, { slug }, caller) => projectInFull(ctx, slug, caller),
});

export const getUsage = operation({
  id: "getUsage",
  tag: "projects",
  summary: "Read what a project used",
  description:
    "Runs, failures, merges, tokens and cost by UTC day, lane and model, from sums that are kept with every event.",
  scope: "feed:read",
  http: { method: "GET", path: "/projects/{slug}/usage", revalidates: true, errors: [404] },
  input: UsageQuery,
  output: UsageList,
  run: projectUsage,
});
