/** The project of a wrapped run that is given none, and the page of the run. */
import { runUrl } from "../../../src/feed/runs/page-url.ts";
import { type ApiArgs, withApi } from "../../api.ts";
import { serverTarget } from "../../login/target.ts";
import { originOf } from "../../repository/git-place.ts";
import { listProjects, projectsLinkedTo } from "../../repository/linked-projects.ts";

/** How long the command waits for the server before it starts. */
const answerMs = 1_000;
const namedMax = 5;

interface RunProject {
  /** Null: it belongs to none. Undefined: nothing is known, and the server decides when it is reported. */
  project: string | null | undefined;
  /** Why it belongs to none. */
  reason?: string;
}

/** The project that is linked to the Git remote, else the only one that the token can read. */
export const findRunProject = (args: ApiArgs): Promise<RunProject> =>
  Promise.race([find(args).catch(() => unknown), Bun.sleep(answerMs).then(() => unknown)]);

const unknown: RunProject = { project: undefined };

const find = (args: ApiArgs): Promise<RunProject> =>
  withApi(args, async (access) => {
    const projects = await listProjects(access);
    const origin = originOf(process.cwd());
    const linked = origin ? projectsLinkedTo(projects, origin) : [];
    const [only, other] = linked.length > 0 ? linked : projects;
    if (only && !other) return { project: only.slug };
    if (linked.length > 0) return unknown;
    const names = projects.slice(0, namedMax).map(({ slug }) => slug);
    return {
      project: null,
      reason: other
        ? `Choose one with --project: ${names.join(", ")}${projects.length > namedMax ? ", …" : ""}.`
        : "Link one with svc project link.",
    };
  });

/** The URL of the page of the run; null for a database on this machine, which may have no server. */
export function runPageUrl(args: ApiArgs, id: string, project: string): string | null {
  const target = serverTarget(args);
  return target && `${target.url.replace(/\/+$/, "")}${runUrl({ id, project })}`;
}
