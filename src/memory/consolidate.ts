/** Consolidation: summarizes the usage of a project into roll-ups for briefs, and lists them by day. */
import { adminCaller, ownActor, type Viewer } from "../core/auth/caller.ts";
import { requireProject } from "../feed/projects/projects.ts";
import type { ProjectRow } from "../feed/rows.ts";
import type { MemoryContext } from "./context.ts";
import type { DigestList, DigestsQuery } from "./list-schemas.ts";
import type { MemoryWrites } from "./port.ts";

/** Rows that one transaction summarizes: an interrupted run resumes after the last one committed. */
const stepLength = 500;
const pageLength = 200;

export interface Consolidated {
  project: string;
  /** Events that had not been summarized before. */
  events: number;
  rollups: number;
}

/**
 * Consolidates these projects, or all, one after the other. A project without new events costs nothing and
 * gets no event.
 * @throws 404 for an unknown project
 */
export async function consolidate(ctx: MemoryContext, slugs?: readonly string[]): Promise<Consolidated[]> {
  for (const slug of slugs ?? []) await requireProject(ctx.data, slug, adminCaller);
  const results: Consolidated[] = [];
  for (const slug of slugs ?? (await listSlugs(ctx))) results.push(await consolidateProject(ctx, slug));
  return results;
}

async function consolidateProject({ data }: MemoryContext, slug: string): Promise<Consolidated> {
  let rollups = 0;
  for (;;) {
    const step = await data.atomically(async (writes) => {
      const project = await writes.project(null, slug);
      if (!project || project.digest.digested >= project.digest.total) return { summarized: 0, events: 0 };
      const summarized = await writes.summarizeUsage(slug, stepLength);
      return summarized === stepLength
        ? { summarized }
        : { summarized, events: await finish(writes, project, rollups + summarized) };
    });
    rollups += step.summarized;
    if (step.events !== undefined) return { project: slug, events: step.events, rollups };
  }
}

/**
 * Appends the event of a finished consolidation. The event belongs to the project itself, so it counts as
 * summarized too.
 * @returns the number of newly summarized events
 */
async function finish(writes: MemoryWrites, { slug, digest }: ProjectRow, rollups: number): Promise<number> {
  const events = digest.total - digest.digested;
  const summary = `Summarized ${events} events of ${slug} into ${rollups} roll-ups`;
  await writes.append([{ kind: "memory.consolidated", actor: ownActor, project: slug, summary }]);
  const after = await writes.project(null, slug);
  await writes.setDigestedCount(slug, after?.digest.total ?? digest.total + 1);
  return events;
}

/** Lists the slugs of all linked projects, sorted. */
async function listSlugs({ data }: MemoryContext): Promise<string[]> {
  const slugs: string[] = [];
  let last: ProjectRow | undefined;
  do {
    const page = await data.projects(null, { limit: pageLength, ...(last && { after: last }) });
    slugs.push(...page.map(({ slug }) => slug));
    last = page.length === pageLength ? page.at(-1) : undefined;
  } while (last);
  return slugs.sort();
}

/** What is remembered of each day of a project: one page of days, newest first. Throws a 404 problem if the caller may not see the project. */
export async function listDigests(
  { data }: Pick<MemoryContext, "data">,
  { slug, limit = 30, before }: DigestsQuery,
  caller: Viewer,
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
