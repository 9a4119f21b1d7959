/** Search: one query over everything that the caller can read, in groups. */

import { isAllowed } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import type { Scope } from "../../core/auth/scopes.ts";
import { fromMicros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import { slugPattern } from "../../core/wire.ts";
import { parseQuery } from "../../memory/recall/query-terms.ts";
import { type MemoryHit, searchTerms } from "../../memory/recall/search.ts";
import type { SearchHit } from "../../memory/rows.ts";
import { reviewSource } from "../../memory/schema.ts";
import { rejectedPath } from "../../memory/set-ref.ts";
import type { OverviewContext } from "../context.ts";
import { findAssets, findProjects, findSections } from "./library-results.ts";
import { type Found, resultOf } from "./result.ts";
import {
  type ResultType,
  type SearchGroupName,
  type SearchQuery,
  type SearchResult,
  type SearchResults,
  searchGroups,
} from "./schema.ts";

/** The characters of a query that are read. */
const queryMax = 500;

/**
 * Searches all groups that the caller has the scope for, within its projects. A limited caller's results
 * depend only on what it can read: its projects, and what applies to all.
 */
export async function search(
  ctx: OverviewContext,
  { query: given, limit = 5 }: SearchQuery,
  caller: Caller,
): Promise<SearchResults> {
  const query = given.slice(0, queryMax).toWellFormed();
  const { data, config } = ctx;
  const { projects } = caller;
  const can = (scope: Scope) => isAllowed(caller, scope, config);
  const [canReadFeed, canReadMemory, canReadAssets] = [
    can("feed:read"),
    can("memory:read"),
    can("assets:read"),
  ];
  // Events and memory share one vocabulary, so both need the scope of recall, and words are looked up once.
  const terms = canReadMemory ? parseQuery(data, projects, query) : Promise.resolve([]);
  const inMemory = async (kinds: Parameters<typeof searchTerms>[3]["kinds"]): Promise<Found[]> => {
    const hits = await searchTerms(data, projects, await terms, { ...(kinds && { kinds }), limit });
    return hits.map((hit) => foundInMemory(hit, canReadAssets));
  };
  const none = async (): Promise<Found[]> => [];
  const searches: Record<SearchGroupName, () => Promise<Found[]>> = {
    projects: canReadFeed ? () => findProjects(ctx, projects, query, limit) : none,
    assets: canReadAssets ? () => findAssets(ctx, projects, query, limit) : none,
    memory: canReadMemory ? () => inMemory(["decision", "preference", "note", "guidance"]) : none,
    events: canReadMemory ? () => inMemory(["event"]) : none,
    docs: () => findSections(ctx, query, limit),
  };
  const [jump, ...found] = await Promise.all([
    findJump(ctx, query, { projects, canReadFeed, canReadAssets }),
    ...searchGroups.map((name) => searches[name]()),
  ]);
  const isJump = ({ type, id }: Found) => type === jump?.type && id === jump.id;
  const groups = searchGroups
    .map((name, index) => ({ name, found: (found[index] as Found[]).filter((one) => !isJump(one)) }))
    .filter((group) => group.found.length > 0)
    .map(({ name, found }) => ({ name, results: found.map((one) => resultOf(config, one)) }));
  return { jump, groups, count: groups.reduce((sum, { results }) => sum + results.length, 0) };
}

/** Jumps: what a query names exactly, such as `#12`, an asset id, or the slug of a project. */
interface JumpRights {
  projects: Projects;
  canReadFeed: boolean;
  canReadAssets: boolean;
}

const task = new RegExp(`^(${slugPattern})?#([1-9][0-9]{0,8})$`);

const assetId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const slug = new RegExp(`^${slugPattern}$`);

/** Returns the page that a query names, if the caller can read it; otherwise null. */
async function findJump(
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

/** @param canReadAssets whether a review can link to its asset */
function foundInMemory({ row, matched }: MemoryHit, canReadAssets: boolean): Found {
  const { id, project, head, text, source, valid_from } = row;
  const isTitled = head !== "";
  return {
    type: typeOf(row),
    id: String(id),
    project,
    matched,
    at: valid_from,
    title: isTitled ? head : text,
    text: isTitled ? text : "",
    path: pathOf(row, canReadAssets),
    ...(row.kind === "guidance" && { source }),
  };
}

function typeOf({ kind, source }: SearchHit): ResultType {
  if (kind === "note") return "review";
  return kind === "decision" && source === reviewSource ? "review" : kind;
}

/**
 * A review leads to its asset or set, an event to its place in the feed, a decision to its page, a preference
 * to the memory page, and a note to its project. Guidance leads to its source.
 */
function pathOf(row: SearchHit, canReadAssets: boolean): string | null {
  const { id, kind, project, source_ref, valid_from } = row;
  if (kind === "event") {
    const place = { ...(project !== null && { project }), before: fromMicros(valid_from + 1) };
    return `/feed?${new URLSearchParams(place)}`;
  }
  if (typeOf(row) === "review" && canReadAssets && source_ref) return rejectedPath(project, source_ref);
  if (kind === "decision") return `/memory/decisions/${id}`;
  if (kind === "preference")
    return `/memory?${new URLSearchParams({ view: "preferences", ...(project !== null && { project }) })}`;
  return project === null ? null : `/projects/${project}`;
}
