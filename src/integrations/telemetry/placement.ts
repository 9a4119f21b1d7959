/** Which project and task telemetry is about: as its attributes say, and where that is. */
import type { Viewer } from "../../core/auth/caller.ts";
import { forgeNames } from "../../core/forges/schema.ts";
import { perObject } from "../../core/lib/cache.ts";
import { isTaskKey } from "../../core/task-key.ts";
import { linkOf } from "../../feed/forges/repository-names.ts";
import { taskOfBranch } from "../../feed/projects/branch-task.ts";
import type { ProjectRow, RunPlace } from "../../feed/rows.ts";
import type { EventInput } from "../../feed/schema.ts";
import type { IntegrationsContext } from "../context.ts";
import type { IntegrationsReads } from "../port.ts";
import type { UnplacedReason } from "../rows.ts";
import type { Attributes, TelemetryRecord } from "./records.ts";
import type { Placement } from "./sources/source.ts";
import { readCount, readName } from "./sources/values.ts";

const ofResource = perObject(readPlace);

/** What the record says itself comes first. */
export const placeOfRecord = ({ resource, attributes }: TelemetryRecord): Placement => ({
  ...ofResource(resource),
  ...readPlace(attributes),
});

/** The largest number of an issue or a pull request. */
const taskMax = 2_147_483_647;

function readPlace(attributes: Attributes): Placement {
  const project = readName(attributes, "svc.project");
  const repository = repositoryOf(attributes);
  const branch = readName(attributes, "vcs.ref.head.name", "vcs.repository.ref.name");
  const issue = taskNumber(attributes, "svc.issue");
  const pr = taskNumber(attributes, "svc.pr");
  const key = readName(attributes, "svc.task");
  return {
    ...(project !== undefined && { project }),
    ...repository,
    ...(branch !== undefined && { branch }),
    ...(issue !== undefined && { issue }),
    ...(pr !== undefined && { pr }),
    ...(key !== undefined && issue === undefined && isTaskKey(key) && { task: key }),
  };
}

function taskNumber(attributes: Attributes, key: string): number | undefined {
  const number = readCount(attributes, key);
  return number !== undefined && number >= 1 && number <= taskMax ? number : undefined;
}

/** Scheme, host, port and path of a URL, or host and path of `user@host:path`. */
const repositoryUrl = /^(?:([a-z+]+):\/\/(?:[^/@]*@)?([^/:]+)(:\d+)?\/|[\w.-]+@([^/:]+):)(.+?)(?:\.git)?\/?$/;

/** `owner/name` and the host of a repository's URL; null if it is none. */
export function repositoryOfUrl(text: string): Required<Pick<Placement, "host" | "repo">> | null {
  const url = repositoryUrl.exec(text);
  if (!url) return null;
  const [, scheme = "ssh", host, port = "", sshHost = "", repo = ""] = url;
  // The port of SSH says nothing about that of the forge.
  return { host: `${host ?? sshHost}${scheme.startsWith("http") ? port : ""}`.toLowerCase(), repo };
}

/** The repository of a URL, or of a name and its owner; a name alone stays as it is. */
function repositoryOf(attributes: Attributes): Pick<Placement, "host" | "repo"> {
  const url = repositoryOfUrl(readName(attributes, "vcs.repository.url.full") ?? "");
  if (url) return url;
  const name = readName(attributes, "vcs.repository.name");
  const owner = readName(attributes, "vcs.owner.name");
  if (name === undefined) return {};
  return { repo: owner && !name.includes("/") ? `${owner}/${name}` : name };
}

export type Place = Pick<EventInput, "issue" | "task" | "pr"> & { project: string };
type Found = { project: ProjectRow } | { reason: UnplacedReason };

/**
 * Returns the project that a record names, by its slug or its repository, else the token's only one; and the
 * task it names, else that of its branch. A record that names a project never goes to another.
 */
export async function findPlace(
  ctx: Pick<IntegrationsContext, "data">,
  caller: Viewer,
  place: Placement,
): Promise<Place | { reason: UnplacedReason }> {
  const found = await findProject(ctx, caller, place);
  if ("reason" in found) return found;
  const { slug } = found.project;
  const { branch } = place;
  if (namesTask(place) || branch === undefined) return { project: slug, ...namedTask(place) };
  return { project: slug, ...taskOfBranch(branch, found.project) };
}

/** The runs that records may be of, by id, as hooks report them: the project and the task of each. */
export type RunPlaces = ReadonlyMap<string, readonly RunPlace[]>;

/**
 * The place of a record after its run is known: a record that names no project is in that of its run, and one
 * that names no task has that of its run.
 *
 * @param ids of its run, and of the run that started it
 */
export function placeByRun(
  found: Place | { reason: UnplacedReason },
  placement: Placement,
  ids: readonly string[],
  runs: RunPlaces,
): Place | { reason: UnplacedReason } {
  if ("reason" in found) {
    if (found.reason !== "no project") return found;
    const [run] = ids.map((id) => runs.get(id)).find((ofId) => ofId?.length === 1) ?? [];
    return run
      ? { project: run.project, ...(namesTask(placement) ? namedTask(placement) : taskOf(run)) }
      : found;
  }
  if (namesTask(placement) || placement.branch !== undefined) return found;
  const run = ids.flatMap((id) => runs.get(id) ?? []).find(({ project }) => project === found.project);
  return run ? { ...found, ...taskOf(run) } : found;
}

const namesTask = ({ issue, task, pr }: Placement): boolean => (issue ?? task ?? pr) !== undefined;

const namedTask = ({ issue, task, pr }: Placement): Omit<Place, "project"> => ({
  ...(issue !== undefined && { issue }),
  ...(task !== undefined && { task }),
  ...(pr !== undefined && { pr }),
});

const taskOf = ({ issue, task, pr }: RunPlace): Omit<Place, "project"> => ({
  ...(task !== null ? { task } : issue !== null && { issue }),
  ...(pr !== null && { pr }),
});

async function findProject(
  { data }: Pick<IntegrationsContext, "data">,
  { projects }: Viewer,
  { project: slug, repo, host }: Placement,
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
  return read(projects?.length === 1 ? projects[0] : undefined, "no project");
}

/** The slug of the project on a host. Of a host that no project names, such as an alias of SSH, it is unknown. */
async function projectOnHost(
  data: IntegrationsReads,
  host: string,
  full_name: string,
): Promise<string | undefined> {
  for (const forge of forgeNames) {
    const repository = { forge, host, id: null, full_name };
    const linked = linkOf(await data.linksOfRepository(repository), { repository });
    if (linked?.host === host) return linked.slug;
  }
  return undefined;
}
