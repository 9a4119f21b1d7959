/** Jumps: what a query names exactly, such as `#12`, an asset id, or the slug of a project. */

import type { Projects } from "../../core/rows.ts";
import { slugPattern } from "../../core/wire.ts";
import type { OverviewContext } from "../context.ts";
import { type Found, resultOf } from "./result.ts";
import type { SearchResult } from "./schema.ts";

interface JumpRights {
  projects: Projects;
  canReadFeed: boolean;
  canReadAssets: boolean;
}

const task = new RegExp(`^(${slugPattern})?#([1-9][0-9]{0,8})$`);
const assetId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const slug = new RegExp(`^${slugPattern}$`);

/** Returns the page that a query names, if the caller can read it; otherwise null. */
export async function findJump(
  ctx: OverviewContext,
  query: string,
  rights: JumpRights,
): Promise<SearchResult | null> {
  const name = query.trim();
  const found =
    (rights.canReadFeed && (await findTask(ctx, name.toLowerCase(), rights.projects))) ||
    (rights.canReadAssets && (await findAsset(ctx, name.toUpperCase(), rights.projects))) ||
    (rights.canReadFeed && (await findProject(ctx, name.toLowerCase(), rights.projects)));
  return found ? resultOf(ctx.config, found) : null;
}

/** An issue or a pull request with events: its page, or without a project its events in the feed. */
async function findTask({ data }: OverviewContext, name: string, projects: Projects): Promise<Found | null> {
  const [, project, digits] = task.exec(name) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  for (const field of ["issue", "pr"] as const) {
    const filter = { [field]: number, ...(project !== undefined && { project }) };
    const [event] = await data.feed(projects, { ...filter, limit: 1 });
    if (!event) continue;
    const page = project && `/projects/${project}/${field === "issue" ? "issues" : "pulls"}/${number}`;
    return {
      type: "task",
      id: name,
      project: project ?? null,
      path: page ?? `/feed?${field}=${number}`,
      title: `${field === "issue" ? "Issue" : "Pull request"} ${name}`,
    };
  }
  return null;
}

async function findAsset({ data }: OverviewContext, id: string, projects: Projects): Promise<Found | null> {
  const asset = assetId.test(id) ? await data.asset(projects, id) : null;
  return asset && { type: "asset", id, project: asset.project, title: asset.title, path: `/assets/${id}` };
}

async function findProject(
  { data }: OverviewContext,
  name: string,
  projects: Projects,
): Promise<Found | null> {
  const project = slug.test(name) ? await data.project(projects, name) : null;
  return (
    project && {
      type: "project",
      id: name,
      project: name,
      title: name,
      path: `/projects/${name}`,
      text: project.repo,
    }
  );
}
