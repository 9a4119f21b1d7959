/** Operations on one project, with all that belongs to it. */

import { operationOf } from "../../core/operation.ts";
import { ProjectPath } from "../../feed/projects/schema.ts";
import type { OverviewContext } from "../context.ts";
import { getProject as loadProject } from "../projects/project-detail.ts";
import { ProjectDetail } from "../projects/schema.ts";
import { projectText } from "../projects/text.ts";

const operation = operationOf<OverviewContext>("projects");

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

export const getProject = operation({
  id: "getProject",
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
