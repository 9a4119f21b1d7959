/** MCP resources: projects, their decisions and briefs, and assets, under `svc://` URIs. */
import {
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { Caller } from "../../../core/auth/caller.ts";
import { tagData } from "../../../core/lib/strings/untrusted-text.ts";
import { Problem } from "../../../core/problem.ts";
import { listProjects } from "../../../feed/operations/projects.ts";
import type { ProjectList } from "../../../feed/projects/schema.ts";
import { loadPreview, type Preview } from "../../../library/assets/files/images-for-models.ts";
import type { ProjectDetail } from "../../../overview/projects/schema.ts";
import type { Context } from "../../context.ts";
import { invoke } from "../../operations/invoke.ts";
import { readReviewCard, reviewCardUri } from "../review-card/review-card.ts";
import { findTool, runTool } from "../tools/tools.ts";
import { readSkill } from "./skills.ts";

/** A kind of resource: a URI template with one variable, and the tool that reads it. */
interface ResourceKind {
  template: `svc://${string}{${string}}${string}`;
  name: string;
  title: string;
  description: string;
  tool: string;
  /** Maps the variable of the URI to arguments of the tool. */
  args(variable: string): Record<string, unknown>;
  /** Renders the output of the tool. Defaults to the tool's text. */
  render?(ctx: Context, value: unknown): string;
  loadImage?(ctx: Context, id: string, caller: Caller): Promise<Preview | null>;
}

const assetTemplate = "svc://assets/{id}";

const allKinds: ResourceKind[] = [
  {
    template: "svc://projects/{slug}",
    name: "project",
    title: "Project",
    tool: "svc_get_project",
    description: "One project with its current decisions, models and newest events.",
    args: (slug) => ({ slug }),
  },
  {
    template: "svc://projects/{slug}/brief",
    name: "brief",
    title: "Project brief",
    tool: "svc_brief",
    description: "What to know before a task: decisions, preferences, recent failures, open reviews.",
    args: (project) => ({ project }),
  },
  {
    template: "svc://projects/{slug}/decisions",
    name: "decisions",
    title: "Project decisions",
    tool: "svc_get_project",
    description: "Current decisions, newest first.",
    args: (slug) => ({ slug }),
    render: (ctx, value) => renderDecisions(ctx, value as ProjectDetail),
  },
  {
    template: assetTemplate,
    name: "asset",
    title: "Asset",
    tool: "svc_asset_get",
    description: "One asset with its versions and review, and the image itself if it is one.",
    args: (id) => ({ id }),
    loadImage: loadPreview,
  },
];

/** Kinds whose tool exists. */
const kinds = allKinds.flatMap((kind) => {
  const op = findTool(kind.tool);
  return op ? [{ ...kind, op }] : [];
});
const projectKinds = kinds.filter(({ template }) => template.startsWith("svc://projects/"));

export const resourceTemplates: ResourceTemplateType[] = kinds.map(
  ({ template, name, title, description }) => ({
    uriTemplate: template,
    name,
    title,
    description,
    mimeType: "text/plain",
  }),
);

const projectsPerPage = 50;

/** Lists the resources of the projects that the caller may see; none without the scope. */
export async function listResources(
  ctx: Context,
  caller: Caller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  try {
    const input = new Map<string, unknown>(
      Object.entries({ limit: projectsPerPage, ...(cursor !== undefined && { cursor }) }),
    );
    const { projects, next_cursor } = (await invoke(listProjects, ctx, caller, () => input)) as ProjectList;
    const resources = projects.flatMap(({ slug }) =>
      projectKinds.map((kind) => describeResource(kind, slug)),
    );
    return { resources, ...(next_cursor !== null && { nextCursor: next_cursor }) };
  } catch (error) {
    if (error instanceof Problem && (error.status === 401 || error.status === 403)) return { resources: [] };
    throw error;
  }
}

const describeResource = ({ template, name, title, description }: ResourceKind, slug: string): Resource => ({
  uri: template.replace("{slug}", slug),
  name: `${slug} ${name}`,
  title: `${title}: ${slug}`,
  description,
  mimeType: "text/plain",
});

/** `resources/read`: text, and an image for agents that see. @throws ResourceNotFoundError */
export async function readResource(ctx: Context, caller: Caller, uri: string): Promise<ReadResourceResult> {
  if (uri === reviewCardUri) return readReviewCard(ctx.config);
  const skill = readSkill(ctx.config, uri);
  if (skill) return skill;
  for (const kind of kinds) {
    const variable = matchTemplate(kind.template, uri);
    if (variable === null) continue;
    const { value, text } = await runTool(ctx, caller, kind.op, kind.args(variable));
    const image = await kind.loadImage?.(ctx, variable, caller);
    return {
      contents: [
        { uri, mimeType: "text/plain", text: kind.render?.(ctx, value) ?? text },
        ...(image ? [{ uri, mimeType: image.mime, blob: Buffer.from(image.bytes).toString("base64") }] : []),
      ],
    };
  }
  throw new ResourceNotFoundError(
    uri,
    `No resource at ${uri}. Call resources/templates/list for the available resources.`,
  );
}

/** The id in the URI of an asset; null for any other URI. */
export const assetIdOf = (uri: string): string | null => matchTemplate(assetTemplate, uri);

/** Returns the variable of a URI, or null if the URI does not match the template. */
function matchTemplate(template: ResourceKind["template"], uri: string): string | null {
  const [before, after] = template.split(/\{\w+\}/) as [string, string];
  const variable =
    uri.startsWith(before) && uri.endsWith(after) ? uri.slice(before.length, uri.length - after.length) : "";
  return /^[\w-]+$/.test(variable) ? variable : null;
}

/** Lists decisions as text, each enclosed in data tags with its source. */
function renderDecisions(ctx: Context, { slug, decisions }: ProjectDetail): string {
  const lines = decisions.map(({ id, valid_from, text, source, source_ref }) => {
    const body = source_ref === null ? text : `${text}\n(${source_ref})`;
    return `${id}, since ${valid_from}: ${tagData(ctx.secret, source, body)}`;
  });
  return [`Current decisions of ${slug}, newest first${lines.length > 0 ? ":" : ": none."}`, ...lines].join(
    "\n",
  );
}
