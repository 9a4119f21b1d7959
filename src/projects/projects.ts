/** Linked projects: the list, one in full, linking. */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { Data } from "../data.ts";
import { requireLane } from "../feed/feed.ts";
import { cursorOf, readCursor } from "../lib/cursor.ts";
import { dayMicros, dayOf, fromMicros } from "../lib/time.ts";
import { modelOf } from "../memory/models.ts";
import type { Decision } from "../memory/schema.ts";
import { conflict, noProject } from "../problem.ts";
import type { DecisionRow, ProjectRow } from "../rows.ts";
import type {
  Project,
  ProjectDetail,
  ProjectLink,
  ProjectList,
  ProjectsQuery,
  UsageList,
  UsageQuery,
} from "./schema.ts";

const decisionsMax = 200;
const recentEvents = 20;

export async function listProjects(
  data: Data,
  { limit = 200, cursor }: ProjectsQuery,
  caller: Pick<Caller, "projects">,
): Promise<ProjectList> {
  const rows = await data.projects(caller.projects, {
    limit: limit + 1,
    ...(cursor !== undefined && { after: readPosition(cursor) }),
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    projects: page.map(toProject),
    count: page.length,
    next_cursor: rows.length > limit && last ? cursorOf(last.lastActivity, last.slug) : null,
  };
}

export async function getProject(
  ctx: Context,
  slug: string,
  caller: Pick<Caller, "projects">,
): Promise<ProjectDetail> {
  const { data } = ctx;
  const project = await requireProject(data, slug, caller);
  const [decisions, superseded, models, events] = await Promise.all([
    data.currentDecisions(slug, decisionsMax),
    data.supersededDecisions(slug),
    data.models(),
    data.feed(caller.projects, { project: slug, limit: recentEvents }),
  ]);
  const before = new Map(superseded.map(({ by, ...decision }) => [by, toDecision(decision)]));
  const works = (lanes: string[]) =>
    project.lanes.length === 0 || lanes.some((lane) => project.lanes.includes(lane));
  return {
    ...toProject(project),
    check_cmd: project.check_cmd,
    decisions: decisions.map((decision) => ({
      ...toDecision(decision),
      superseded: before.get(decision.id) ?? null,
    })),
    models: models.filter((model) => works(model.lanes)).map((model) => modelOf(model, ctx.now())),
    events: events.map((event) => JSON.parse(event.wire)),
  };
}

/** The row of a project that this caller may see, or 404: to it, others do not exist. */
export async function requireProject(
  data: Pick<Data, "project">,
  slug: string,
  caller: Pick<Caller, "projects">,
): Promise<ProjectRow> {
  const project = await data.project(caller.projects, slug);
  if (!project) throw noProject(slug);
  return project;
}

const usageDays = 30;

/** From sums that are kept with every append; no event is read. */
export async function projectUsage(
  ctx: Context,
  { slug, since }: UsageQuery,
  caller: Pick<Caller, "projects">,
): Promise<UsageList> {
  if (!(await ctx.data.project(caller.projects, slug))) throw noProject(slug);
  const rows = await ctx.data.usage(slug, since ?? dayOf(ctx.now() - (usageDays - 1) * dayMicros));
  const usage = rows.map(({ project: _, ...row }) => ({
    ...row,
    lane: row.lane || null,
    model: row.model || null,
  }));
  return { usage, count: usage.length };
}

/** Links a project, or changes what is said of a linked one. Only the first link is an event. */
export async function linkProject(
  ctx: Context,
  link: ProjectLink,
  actor: string,
): Promise<"linked" | "changed"> {
  for (const lane of link.lanes ?? []) requireLane(ctx.config, lane, "lanes");
  return ctx.data.atomically(async (writes) => {
    const outcome = await writes.linkProject(link, ctx.now());
    if (outcome === "repo taken") throw conflict(`${link.repo} is linked as another project.`);
    if (outcome === "linked")
      await writes.append([
        {
          kind: "project.linked",
          actor,
          project: link.slug,
          repo: link.repo,
          summary: `Project ${link.slug} linked to ${link.repo}`,
        },
      ]);
    return outcome;
  });
}

const toDecision = ({ actor: _, ...decision }: DecisionRow): Decision => ({
  ...decision,
  valid_from: fromMicros(decision.valid_from),
});

const toProject = ({ check_cmd: _, lastActivity, ...row }: ProjectRow): Project => ({
  ...row,
  lastActivity: lastActivity === null ? null : fromMicros(lastActivity),
});

function readPosition(cursor: string): Pick<ProjectRow, "lastActivity" | "slug"> {
  const { ts, rest } = readCursor(cursor);
  return { lastActivity: ts, slug: rest };
}
