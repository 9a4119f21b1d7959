/** Finds the checks of a project: those that the last brief brought, or of the server. */

import type { CheckInForce } from "../../src/memory/checks/schema.ts";
import { connectionsOf } from "../agents/connections.ts";
import type { SpoolItem } from "../agents/spool/spool.ts";
import { type ApiArgs, withApi } from "../api.ts";
import { ApiError, unwrap } from "../client/client.ts";
import { CommandError } from "../command-errors.ts";
import { normalizeUrl, serverTarget } from "../login/target.ts";
import type { OutputArgs } from "../output/report.ts";
import { currentProject } from "../repository/current-project.ts";
import { originOf } from "../repository/git-place.ts";
import { fetchChecks, readChecks, saveChecks } from "./saved-checks.ts";

export interface ProjectChecks {
  project: string;
  checks: CheckInForce[];
  /** Where to report what they stop; null for a database on this machine. */
  to: Pick<SpoolItem, "server" | "connection"> | null;
}

type Args = ApiArgs & OutputArgs & { project?: string | undefined; fresh?: boolean | undefined };

const answerMs = 5_000;
const renewal =
  " A token keeps the scopes that its role had when it was created: create a new one with " +
  "`svc token create NAME --role ci`.";

/** Without a network if checks were saved in the last seven days, unless `fresh` asks for them. */
export async function findProjectChecks(args: Args, folder: string): Promise<ProjectChecks> {
  return (await ofConnection(args, folder)) ?? ofServer(args, folder);
}

/** The checks of the project that an agent is connected to in this folder. */
async function ofConnection(args: Args, folder: string): Promise<ProjectChecks | null> {
  const isNamed = args.server !== undefined || args["data-dir"] !== undefined || process.env.SVC_URL;
  const [connection] = isNamed ? [] : connectionsOf(folder);
  if (!connection || (args.project !== undefined && args.project !== connection.project)) return null;
  const { agent, server, project, token } = connection;
  const place = { server, project };
  const ask = () => fetchChecks(place, token, AbortSignal.timeout(answerMs));
  const checks = args.fresh ? ((await ask()) ?? readChecks(place)) : (readChecks(place) ?? (await ask()));
  return checks && { project, checks, to: { server, connection: { agent, folder: connection.folder } } };
}

async function ofServer(args: Args, folder: string): Promise<ProjectChecks> {
  const target = serverTarget(args);
  const server = target && normalizeUrl(target.url);
  const name = args.project ?? originOf(folder)?.path;
  const place = server !== null && name !== undefined ? { server, project: name } : null;
  const to = server === null ? null : { server, connection: null };
  try {
    return await withApi(args, async (access) => {
      const slug = await currentProject(access, { ...args, quiet: true });
      const { checks } = await unwrap(
        access.api.GET("/projects/{slug}/checks", { params: { path: { slug } } }),
      );
      if (place) saveChecks(place, checks as CheckInForce[]);
      return { project: slug, checks: checks as CheckInForce[], to };
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) throw new CommandError(error.message + renewal);
    const checks = place && !("status" in (error as object)) ? readChecks(place) : null;
    if (!checks || !place) throw error;
    return { project: place.project, checks, to };
  }
}
