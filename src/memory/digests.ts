/** Digests: what is remembered of each day of a project, from the roll-ups that consolidation makes. */
import type { Caller } from "../core/auth/caller.ts";
import { requireProject } from "../feed/projects/projects.ts";
import type { MemoryContext } from "./context.ts";
import type { DigestList, DigestsQuery } from "./list-schemas.ts";

/** One page of days, newest first. Throws a 404 problem if the caller may not see the project. */
export async function listDigests(
  { data }: Pick<MemoryContext, "data">,
  { slug, limit = 30, before }: DigestsQuery,
  caller: Pick<Caller, "projects">,
): Promise<DigestList> {
  await requireProject(data, slug, caller);
  const rows = await data.digests(slug, { limit: limit + 1, ...(before !== undefined && { before }) });
  const digests = rows.slice(0, limit);
  return {
    digests,
    count: digests.length,
    next_before: rows.length > limit ? (digests.at(-1)?.day ?? null) : null,
  };
}
