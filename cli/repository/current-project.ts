/** The project of a command that needs one: the one it is given, else that of the Git checkout it runs in. */

import type { ApiAccess } from "../api.ts";
import { ApiError, type Schemas, unwrap } from "../client/client.ts";
import { UsageError } from "../command-errors.ts";
import { note, type OutputArgs } from "../output/report.ts";
import { type GitRemote, originOf } from "./git-place.ts";

const description = "Project slug (default: that of the Git remote)";
/** The flag `--project` of such a command. */
export const currentProjectFlag = { project: { type: "string", description, valueHint: "slug" } } as const;
/** Its last argument, for a command without the flag. */
export const currentProjectArg = { type: "positional", required: false, description } as const;

/**
 * The project that the command is given, else the only one that is linked to the Git remote; a note names it.
 *
 * @param name of the flag or argument, for errors
 * @throws UsageError if no project or more than one is linked to it
 */
export const currentProject = (
  access: Pick<ApiAccess, "api">,
  args: ProjectArgs,
  name = "--project",
): Promise<string> => projectOfCheckout(() => listProjects(access), args, name);

type ProjectArgs = OutputArgs & { project?: string | undefined };
export type ListProjects = () => Promise<Pick<Schemas["Project"], "slug" | "repo" | "host">[]>;

/** As `currentProject`. @param list lists every project */
export async function projectOfCheckout(
  list: ListProjects,
  args: ProjectArgs,
  name: string,
): Promise<string> {
  if (args.project !== undefined) return args.project;
  const origin = originOf(process.cwd());
  if (!origin) throw new UsageError(`Missing ${name}: this folder has no Git remote to take it from.`);
  const projects = await list().catch((error) => {
    throw error instanceof ApiError && error.status === 403
      ? new UsageError(`Missing ${name}: it cannot be looked up. ${error.message}`)
      : error;
  });
  const [linked, ...others] = projectsLinkedTo(projects, origin);
  if (!linked)
    throw new UsageError(`Missing ${name}: none is linked to ${origin.path}. See svc project list.`);
  if (others.length > 0) {
    const slugs = [linked, ...others].map(({ slug }) => slug).join(", ");
    throw new UsageError(`Missing ${name}: several are linked to ${origin.path}: ${slugs}.`);
  }
  note(args, `Project ${linked.slug}, linked to ${origin.path}.`);
  return linked.slug;
}

/** Lists every project that the token can read. */
export async function listProjects({ api }: Pick<ApiAccess, "api">): Promise<Schemas["Project"][]> {
  const projects: Schemas["Project"][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await unwrap(api.GET("/projects", { params: { query: cursor ? { cursor } : {} } }));
    projects.push(...page.projects);
    cursor = page.next_cursor ?? null;
  }
  return projects;
}

/**
 * The projects of a repository. The host only chooses between several: over SSH it can be an alias, and a
 * GitHub Enterprise server can be the deployment's default.
 */
export function projectsLinkedTo<P extends Pick<Schemas["Project"], "repo" | "host">>(
  projects: readonly P[],
  { host, path }: GitRemote,
): readonly P[] {
  const named = projects.filter(({ repo }) => repo.toLowerCase() === path.toLowerCase());
  const onHost = named.filter((project) => project.host === host);
  return onHost.length > 0 ? onHost : named;
}
