/** Consolidation: the sums of a project, folded into its memory. */
import { ownActor } from "../auth/actor.ts";
import type { Context } from "../context.ts";
import type { Writes } from "../data.ts";
import type { ProjectRow } from "../rows.ts";

/** Each step is a transaction of its own: one that is cut off goes on where it was. */
const stepLength = 500;
const pageLength = 200;

export interface Consolidated {
  project: string;
  /** Events that were not folded before. */
  events: number;
  rollups: number;
}

/** All projects, or one. What is folded already is no work and no event. */
export async function consolidate(ctx: Context, slugs: readonly string[]): Promise<Consolidated[]> {
  const done: Consolidated[] = [];
  for (const slug of slugs) done.push(await consolidateProject(ctx, slug));
  return done;
}

async function consolidateProject({ data }: Context, slug: string): Promise<Consolidated> {
  let rollups = 0;
  for (;;) {
    const step = await data.atomically(async (writes) => {
      const project = await writes.project(null, slug);
      if (!project || project.digest.digested >= project.digest.total) return { folded: 0, events: 0 };
      const folded = await writes.foldUsage(slug, stepLength);
      return folded === stepLength
        ? { folded }
        : { folded, events: await finish(writes, project, rollups + folded) };
    });
    rollups += step.folded;
    if (step.events !== undefined) return { project: slug, events: step.events, rollups };
  }
}

/**
 * The event is itself of the project, so it counts as folded. @returns the events that are folded now and
 * were not
 */
async function finish(writes: Writes, { slug, digest }: ProjectRow, rollups: number): Promise<number> {
  const events = digest.total - digest.digested;
  const summary = `${events} events of ${slug} consolidated into ${rollups} roll-ups`;
  await writes.append([{ kind: "memory.consolidated", actor: ownActor, project: slug, summary }]);
  const after = await writes.project(null, slug);
  await writes.setDigested(slug, after?.digest.total ?? digest.total + 1);
  return events;
}

/** Slugs of all linked projects. */
export async function listSlugs({ data }: Context): Promise<string[]> {
  const slugs: string[] = [];
  let last: ProjectRow | undefined;
  do {
    const page = await data.projects(null, { limit: pageLength, ...(last && { after: last }) });
    slugs.push(...page.map(({ slug }) => slug));
    last = page.length === pageLength ? page.at(-1) : undefined;
  } while (last);
  return slugs.sort();
}
