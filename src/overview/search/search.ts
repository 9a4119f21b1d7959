/** Search: one query over everything that the caller can read, in groups. */

import { isAllowed } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import type { Scope } from "../../core/auth/scopes.ts";
import { parseQuery } from "../../memory/recall/query-terms.ts";
import { searchTerms } from "../../memory/recall/search.ts";
import type { MemoryKind } from "../../memory/schema.ts";
import type { OverviewContext } from "../context.ts";
import { findAssets } from "./asset-results.ts";
import { eventsOf, runsOf } from "./event-results.ts";
import { findJump } from "./jumps.ts";
import { findProjects, findSections } from "./library-results.ts";
import { foundInMemory } from "./memory-results.ts";
import { queryOf } from "./relevance.ts";
import { type Found, resultOf } from "./result.ts";
import { type SearchGroupName, type SearchQuery, type SearchResults, searchGroups } from "./schema.ts";
import { findTasks } from "./task-results.ts";

/** The characters of a query that are read. */
const queryMax = 500;
/** Events that are read for each result: most of them tell of a task, a run or an asset. */
const eventsPerResult = 3;

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
  const can = (scope: Scope) => isAllowed(caller, scope, ctx.config);
  const rights = {
    projects: caller.projects,
    canReadFeed: can("feed:read"),
    canReadMemory: can("memory:read"),
    canReadAssets: can("assets:read"),
  };
  const [jump, found] = await Promise.all([
    findJump(ctx, query, rights, caller),
    findGroups(ctx, query, { ...rights, limit }),
  ]);
  const isJump = ({ type, id, project }: Found) =>
    type === jump?.type && id === jump.id && project === jump.project;
  const groups = searchGroups
    .map((name) => ({ name, results: found[name].filter((one) => !isJump(one)) }))
    .filter(({ results }) => results.length > 0)
    .toSorted((a, b) => bestOf(b.results) - bestOf(a.results))
    .map(({ name, results }) => ({ name, results: results.map((one) => resultOf(ctx.config, one)) }));
  return {
    jump: jump && resultOf(ctx.config, jump),
    groups,
    count: groups.reduce((sum, { results }) => sum + results.length, 0),
  };
}

/** Results that are nearly as relevant are as good: their groups keep their order. */
const relevanceSteps = 8;

const bestOf = (results: readonly Found[]): number =>
  Math.round(relevanceSteps * Math.max(...results.map(({ relevance = 0 }) => relevance)));

interface GroupsQuery extends Record<"canReadFeed" | "canReadMemory" | "canReadAssets", boolean> {
  projects: Caller["projects"];
  limit: number;
}

async function findGroups(
  ctx: OverviewContext,
  text: string,
  { projects, limit, canReadFeed, canReadMemory, canReadAssets }: GroupsQuery,
): Promise<Record<SearchGroupName, Found[]>> {
  const { data } = ctx;
  // Tasks, events and memory share one vocabulary, so all need the scope of recall.
  const parsed = canReadMemory ? parseQuery(data, projects, text) : Promise.resolve([]);
  const known = parsed.then((terms) => queryOf(text, terms));
  const hitsOf = async (kinds: MemoryKind[], max: number) =>
    searchTerms(data, projects, await parsed, { kinds, limit: max });
  const [query, tasks, listed, assets, memory, events, docs] = await Promise.all([
    known,
    canReadFeed ? known.then((query) => findTasks(ctx, projects, query, limit)) : [],
    canReadFeed ? findProjects(ctx, projects, text, limit) : [],
    canReadAssets ? findAssets(ctx, projects, text, limit) : [],
    hitsOf(["decision", "preference", "note", "guidance"], limit),
    hitsOf(["event"], eventsPerResult * limit),
    findSections(ctx, text, limit),
  ]);
  return {
    tasks,
    projects: listed,
    assets,
    memory: memory.map((hit) => foundInMemory(hit, query, canReadAssets)),
    runs: canReadFeed ? await runsOf(ctx, projects, events, { query, limit }) : [],
    events: await eventsOf(ctx, events, { query, limit, tasks, assets, hasRuns: canReadFeed }),
    docs,
  };
}
