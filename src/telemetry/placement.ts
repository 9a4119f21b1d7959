/** Finds the project and the task of telemetry. */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { Data } from "../data.ts";
import type { EventInput } from "../feed/schema.ts";
import { forgeNames } from "../forges/schema.ts";
import { taskOfBranch } from "../projects/branch-task.ts";
import type { ProjectRow } from "../rows.ts";
import type { UnplacedReason } from "./port.ts";
import type { Placement } from "./sources/source.ts";

export type Place = Pick<EventInput, "issue" | "pr"> & { project: string };
type Found = { project: ProjectRow } | { reason: UnplacedReason };

/**
 * Returns the project that a record names, by its slug or its repository, else that of its run, as hooks
 * report it, else the token's only one; and the task it names, else that of its branch, else that of its run.
 * A record that names a project never goes to another.
 *
 * @param runs the ids of its run and of the run that started it
 */
export async function findPlace(
  ctx: Pick<Context, "data">,
  caller: Pick<Caller, "projects">,
  place: Placement,
  runs: readonly string[] = [],
): Promise<Place | { reason: UnplacedReason }> {
  const found = await findProject(ctx, caller, place, runs);
  if ("reason" in found) return found;
  const { slug, branch_pattern } = found.project;
  const { issue, pr, branch } = place;
  const named = { ...(issue !== undefined && { issue }), ...(pr !== undefined && { pr }) };
  if (issue !== undefined || pr !== undefined) return { project: slug, ...named };
  if (branch !== undefined) return { project: slug, ...taskOfBranch(branch, branch_pattern) };
  return { project: slug, ...(await taskOfRun(ctx, caller, slug, runs)) };
}

async function taskOfRun(
  { data }: Pick<Context, "data">,
  { projects }: Pick<Caller, "projects">,
  project: string,
  runs: readonly string[],
): Promise<Omit<Place, "project">> {
  for (const id of runs) {
    const run = await data.run(projects, project, id);
    if (!run) continue;
    const { issue, pr } = run;
    return { ...(issue !== null && { issue }), ...(pr !== null && { pr }) };
  }
  return {};
}

async function findProject(
  { data }: Pick<Context, "data">,
  { projects }: Pick<Caller, "projects">,
  { project: slug, repo, host }: Placement,
  runs: readonly string[],
): Promise<Found> {
  const read = async (slug: string | undefined, reason: UnplacedReason): Promise<Found> => {
    const project = slug === undefined ? null : await data.project(projects, slug);
    return project ? { project } : { reason };
  };
  if (slug !== undefined) return read(slug, "unknown project");
  if (repo?.includes("/")) {
    const name = repo.toLowerCase();
    const onHost = host === undefined ? undefined : await projectOnHost(data, host, name);
    return read(onHost ?? (await data.projectsOfRepos([name])).get(name), "unknown repository");
  }
  // The name of a repository without its owner is only a hint.
  const hinted = repo === undefined ? null : await data.project(projects, repo.toLowerCase());
  if (hinted?.repo.toLowerCase().endsWith(`/${repo?.toLowerCase()}`)) return { project: hinted };
  for (const id of runs) {
    const [ofRun, other] = await data.projectsOfRun(projects, id, 2);
    if (ofRun !== undefined && other === undefined) return read(ofRun, "no project");
  }
  return read(projects?.length === 1 ? projects[0] : undefined, "no project");
}

/** The slug of the project on a host. Of a host that no project names, such as an alias of SSH, it is unknown. */
async function projectOnHost(
  data: Pick<Data, "projectOfRepository">,
  host: string,
  full_name: string,
): Promise<string | undefined> {
  for (const forge of forgeNames) {
    const linked = await data.projectOfRepository({ forge, host, id: null, full_name });
    if (linked?.host === host) return linked.slug;
  }
  return undefined;
}
