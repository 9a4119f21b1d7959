/** The project of a command that needs one: the one it is given, else that of the Git checkout it runs in. */
import type { ApiAccess } from "../api.ts";
import { ApiError } from "../client/client.ts";
import { UsageError } from "../command.ts";
import { note, type OutputArgs } from "../output/report.ts";
import { originOf } from "./git-place.ts";
import { listProjects, projectsLinkedTo } from "./linked-projects.ts";

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
export async function currentProject(
  access: Pick<ApiAccess, "api">,
  args: OutputArgs & { project?: string | undefined },
  name = "--project",
): Promise<string> {
  if (args.project !== undefined) return args.project;
  const origin = originOf(process.cwd());
  if (!origin) throw new UsageError(`Missing ${name}: this folder has no Git remote to take it from.`);
  const projects = await listProjects(access).catch((error) => {
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
