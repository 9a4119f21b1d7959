/** Where the sessions of an agent report to: a connection of `svc connect`, else SVC_URL or the login. */
import { type ApiArgs, withApi } from "../../api.ts";
import { UsageError } from "../../command-errors.ts";
import { normalizeUrl, type ServerTarget, serverTarget } from "../../login/target.ts";
import { listProjects, projectsLinkedTo } from "../../repository/current-project.ts";
import { originOf } from "../../repository/git-place.ts";
import { type Connection, connectionFor, connectionsOf } from "../connections.ts";

export interface Destination {
  server: string;
  /** Null: the server decides by the repository. */
  project: string | null;
  /** What briefs are fetched with; null without a project or a token. */
  connection: Connection | null;
  /** The connection of `svc connect` whose token sends reports; null: SVC_TOKEN or the login. */
  saved: Pick<Connection, "agent" | "folder"> | null;
}

export interface DestinationArgs extends ApiArgs {
  project?: string | undefined;
}

/** How long to wait for the projects of the server. */
const answerMs = 1_000;

/** The server that is given or configured. @throws UsageError for a URL of no server */
export function chosenServer(args: DestinationArgs): ServerTarget | null {
  const target = serverTarget(args);
  if (target && !(/^https?:\/\//.test(target.url) && URL.canParse(target.url)))
    throw new UsageError("--server (SVC_URL) must be an http or https URL.");
  return target;
}

/** The destination of a session in a folder, after a second at most; null: it is not reported. */
export async function findDestination(
  args: DestinationArgs,
  agent: string,
  folder: string,
): Promise<Destination | null> {
  const isChosen = args.server !== undefined || args.project !== undefined || Boolean(process.env.SVC_URL);
  const saved = isChosen ? null : (connectionFor(agent, folder) ?? connectionsOf(folder)[0] ?? null);
  if (saved)
    return {
      server: saved.server,
      project: saved.project,
      connection: saved,
      saved: { agent: saved.agent, folder: saved.folder },
    };
  const target = chosenServer(args);
  if (!target) return null;
  const server = normalizeUrl(target.url);
  const project = args.project ?? (await findProject(args, folder));
  const { token } = target;
  const connection =
    project !== null && token !== undefined
      ? { agent, folder: null, server, project, token, branch_pattern: null, connected_at: "" }
      : null;
  return { server, project, connection, saved: null };
}

/** The project that is linked to the Git remote of the folder, else the only one that the token can read. */
function findProject(args: DestinationArgs, folder: string): Promise<string | null> {
  const find = withApi(args, async (access) => {
    const projects = await listProjects(access);
    const origin = originOf(folder);
    const linked = origin ? projectsLinkedTo(projects, origin) : [];
    const [only, other] = linked.length > 0 ? linked : projects;
    return only && !other ? only.slug : null;
  });
  return Promise.race([find.catch(() => null), Bun.sleep(answerMs).then(() => null)]);
}
