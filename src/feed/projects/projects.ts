/** Linked projects: list, details, usage, and linking. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Viewer } from "../../core/auth/caller.ts";
import { forges, placeName, type RepositoryPlace } from "../../core/forges/schema.ts";
import { cursorOf, pageOf, readCursor } from "../../core/lib/cursor.ts";
import { dayMicros, dayOf, fromMicros } from "../../core/lib/time.ts";
import { badRequest, conflict, noProject } from "../../core/problem.ts";
import type { FeedContext, FeedRule } from "../context.ts";
import { requireLane } from "../feed.ts";
import type { FeedReads } from "../port.ts";
import type { ProjectRow } from "../rows.ts";
import { branchPatternProblem } from "./branch-task.ts";
import type {
  LinkedProject,
  LinkInput,
  Project,
  ProjectLink,
  ProjectList,
  ProjectsQuery,
  UsageList,
  UsageQuery,
} from "./schema.ts";
import { taskUrlProblem } from "./tracker.ts";

/** A page of the projects, the most recently active first. @throws 400 for an invalid cursor */
export async function listProjects(
  data: Pick<FeedReads, "projects">,
  { limit = 200, cursor }: ProjectsQuery,
  caller: Viewer,
): Promise<ProjectList> {
  const rows = await data.projects(caller.projects, {
    limit: limit + 1,
    ...(cursor !== undefined && { after: parseCursor(cursor) }),
  });
  const { page, next_cursor } = pageOf(rows, limit, (last) => cursorOf(last.lastActivity, last.slug));
  return { projects: page.map(toProject), count: page.length, next_cursor };
}

/** Returns a project's row; null if it does not exist or the caller may not see it. */
export const findProject = (
  { data }: Pick<FeedContext, "data">,
  slug: string,
  { projects }: Viewer,
): Promise<ProjectRow | null> => data.project(projects, slug);

/** Returns a project's row. @throws 404 if it does not exist or the caller may not see it */
export async function requireProject(
  data: Pick<FeedReads, "project">,
  slug: string,
  caller: Viewer,
): Promise<ProjectRow> {
  const project = await data.project(caller.projects, slug);
  if (!project) throw noProject(slug);
  return project;
}

/** For pages of a list, which would be empty. @throws 404 for a project that was removed, or is not theirs */
export async function requireProjects(
  { data }: Pick<FeedContext, "data">,
  slugs: readonly string[],
  caller: Viewer,
): Promise<void> {
  for (const slug of slugs) await requireProject(data, slug, caller);
}

const usageDays = 30;

/** Returns a project's usage per day, from totals that every append updates: no events are read. */
export async function projectUsage(
  ctx: FeedContext,
  { slug, since }: UsageQuery,
  caller: Viewer,
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

/**
 * Links a project, or updates a linked one. Only the first link adds an event.
 * @throws 400 for an unknown lane, a name that the forge does not allow or an unusable pattern, 409 if
 * the repository is linked to another project
 */
export async function linkProject(
  ctx: Pick<FeedContext, "config" | "data" | "now">,
  link: ProjectLink,
  actor: string,
): Promise<"linked" | "changed"> {
  for (const lane of link.lanes ?? []) requireLane(ctx.config, lane, "lanes");
  const problem = link.branch_pattern ? branchPatternProblem(link.branch_pattern) : null;
  if (problem) throw badRequest(`branch_pattern ${problem}.`);
  const urlProblem = link.task_url ? taskUrlProblem(link.task_url) : null;
  if (urlProblem) throw badRequest(`task_url ${urlProblem}.`);
  return ctx.data.atomically(async (writes) => {
    const place = placeOf(link, await writes.project(null, link.slug));
    requireAllowedName(place);
    const outcome = await writes.linkProject({ ...link, ...place }, ctx.now());
    if (outcome === "repo taken") throw conflict(`${placeName(place)} is already linked to another project.`);
    if (outcome === "linked")
      await writes.append([
        {
          kind: "project.linked",
          actor,
          project: link.slug,
          repo: link.repo,
          summary: `Project ${link.slug} linked to ${placeName(place)}`,
        },
      ]);
    return outcome;
  });
}

/** Links a project as the caller. */
export const linkProjectAs: FeedRule<LinkInput, LinkedProject> = async (ctx, { by, ...link }, caller) => {
  const outcome = await linkProject(ctx, link, eventActor(actorOf(caller, by)));
  const { slug, forge, host, repo } = await requireProject(ctx.data, link.slug, caller);
  return { slug, forge, host, repo, linked: outcome === "linked" };
};

/** Where the repository is. A field that the link leaves out stays as it was; a first link is on GitHub. */
export function placeOf({ forge, host, repo }: ProjectLink, current: ProjectRow | null): RepositoryPlace {
  const name = forge ?? current?.forge ?? "github";
  const currentHost = current?.forge === name ? current.host : undefined;
  return { forge: name, host: host ?? currentHost ?? forges[name].host, repo };
}

/** The name is part of URLs, so it must be one that the forge gives, without `.` and `..` as a segment. */
function requireAllowedName({ forge, repo }: RepositoryPlace): void {
  const { label, repo: allowed, repoShape } = forges[forge];
  const isRelative = repo.split("/").some((segment) => /^\.{1,2}$/.test(segment));
  if (isRelative || !allowed.test(repo))
    throw badRequest(`repo must be a repository on ${label}: ${repoShape}.`);
}

export const toProject = ({
  check_cmd: _,
  branch_pattern: _pattern,
  task_url: __,
  lastActivity,
  ...row
}: ProjectRow): Project => ({
  ...row,
  lastActivity: lastActivity === null ? null : fromMicros(lastActivity),
});

function parseCursor(cursor: string): Pick<ProjectRow, "lastActivity" | "slug"> {
  const { ts, rest } = readCursor(cursor);
  return { lastActivity: ts, slug: rest };
}
