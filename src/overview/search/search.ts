/** Search: one query over everything that the caller can read, in groups. */
import { isAllowed } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import type { Scope } from "../../core/auth/scopes.ts";
import { parseQuery } from "../../memory/recall/query-terms.ts";
import { searchTerms } from "../../memory/recall/search.ts";
import type { OverviewContext } from "../context.ts";
import { findJump } from "./jump.ts";
import { findAssets, findProjects, findSections } from "./library-results.ts";
import { foundInMemory } from "./memory-results.ts";
import { type Found, resultOf } from "./result.ts";
import { type SearchGroupName, type SearchQuery, type SearchResults, searchGroups } from "./schema.ts";

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
