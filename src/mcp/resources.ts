/** Projects, their decisions and briefs, and assets, under addresses of `svc://`. */
import {
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { type Picture, pictureOf } from "../assets/preview.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { tagData } from "../lib/data-tags.ts";
import { invoke } from "../operations/invoke.ts";
import { listProjects } from "../operations/projects.ts";
import { Problem } from "../problem.ts";
import type { ProjectDetail, ProjectList } from "../projects/schema.ts";
import { runTool, toolNamed } from "./tools.ts";

/** What can be read: an address with one blank, and the tool that answers for it. */
interface Kind {
  template: `svc://${string}{${string}}${string}`;
  name: string;
  title: string;
  description: string;
  tool: string;
  /** The blank as an argument of the tool. */
  args(blank: string): Record<string, unknown>;
  /** What of the answer is shown; by default its text. */
  show?(ctx: Context, value: unknown): string;
  picture?(ctx: Context, id: string, caller: Caller): Promise<Picture | null>;
}

const all: Kind[] = [
  {
    ...{ template: "svc://projects/{slug}", name: "project", title: "Project", tool: "svc_get_project" },
    description: "One project with its current decisions, models and newest events.",
    args: (slug) => ({ slug }),
  },
  {
    ...{
      template: "svc://projects/{slug}/brief",
      name: "brief",
      title: "Brief of a project",
      tool: "svc_brief",
    },
    description: "What to know before a task: decisions, preferences, recent failures, open reviews.",
    args: (project) => ({ project }),
  },
  {
    ...{
      template: "svc://projects/{slug}/decisions",
      name: "decisions",
      title: "Decisions of a project",
      tool: "svc_get_project",
    },
    description: "What was decided and holds, newest first.",
    args: (slug) => ({ slug }),
    show: (ctx, value) => decisionsAsText(ctx, value as ProjectDetail),
  },
  {
    ...{ template: "svc://assets/{id}", name: "asset", title: "Asset", tool: "svc_asset_get" },
    description: "One asset with its versions and its review, and its image where it is one.",
    args: (id) => ({ id }),
    picture: pictureOf,
  },
];

/** Those whose tool the table has. */
const kinds = all.flatMap((kind) => {
  const op = toolNamed(kind.tool);
  return op ? [{ ...kind, op }] : [];
});
const ofProjects = kinds.filter(({ template }) => template.startsWith("svc://projects/"));

export const resourceTemplates: ResourceTemplateType[] = kinds.map(
  ({ template, name, title, description }) => ({
    ...{ uriTemplate: template, name, title, description, mimeType: "text/plain" },
  }),
);

const pageOf = 50;

/** Those of the projects that the caller may see; without the scope, none. */
export async function listResources(
  ctx: Context,
  caller: Caller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  try {
    const input = new Map<string, unknown>(
      Object.entries({ limit: pageOf, ...(cursor !== undefined && { cursor }) }),
    );
    const { projects, next_cursor } = (await invoke(listProjects, ctx, caller, () => input)) as ProjectList;
    const resources = projects.flatMap(({ slug }) => ofProjects.map((kind) => resourceOf(kind, slug)));
    return { resources, ...(next_cursor !== null && { nextCursor: next_cursor }) };
  } catch (error) {
    if (error instanceof Problem && (error.status === 401 || error.status === 403)) return { resources: [] };
    throw error;
  }
}

const resourceOf = ({ template, name, title, description }: Kind, slug: string): Resource => ({
  ...{
    uri: template.replace("{slug}", slug),
    name: `${slug} ${name}`,
    title: `${title}: ${slug}`,
    description,
    mimeType: "text/plain",
  },
});

export async function readResource(ctx: Context, caller: Caller, uri: string): Promise<ReadResourceResult> {
  for (const kind of kinds) {
    const blank = blankOf(kind.template, uri);
    if (blank === null) continue;
    const { value, text } = await runTool(ctx, caller, kind.op, kind.args(blank));
    const picture = await kind.picture?.(ctx, blank, caller);
    return {
      contents: [
        { uri, mimeType: "text/plain", text: kind.show?.(ctx, value) ?? text },
        ...(picture
          ? [{ uri, mimeType: picture.mime, blob: Buffer.from(picture.bytes).toString("base64") }]
          : []),
      ],
    };
  }
  throw new ResourceNotFoundError(
    uri,
    `There is nothing at ${uri}; resources/templates/list says what there is.`,
  );
}

/** What stands in an address where its template has a blank, or null where it is of another form. */
function blankOf(template: Kind["template"], uri: string): string | null {
  const [before, after] = template.split(/\{\w+\}/) as [string, string];
  const blank =
    uri.startsWith(before) && uri.endsWith(after) ? uri.slice(before.length, uri.length - after.length) : "";
  return /^[\w-]+$/.test(blank) ? blank : null;
}

/** Each by itself, with where it came from. */
function decisionsAsText(ctx: Context, { slug, decisions }: ProjectDetail): string {
  const lines = decisions.map(({ id, valid_from, text, source, source_ref }) => {
    const said = source_ref === null ? text : `${text}\n(${source_ref})`;
    return `${id}, since ${valid_from}: ${tagData(ctx.secret, source, said)}`;
  });
  return [`Current decisions of ${slug}, newest first${lines.length > 0 ? ":" : ": none."}`, ...lines].join(
    "\n",
  );
}
