/** What a command does without a database in its folder, where a server may run with another one. */
import { resolve } from "node:path";
import type { Config, Environment } from "../../src/core/config.ts";
import { CommandError } from "../command-errors.ts";
import { type RunningServer, runningServers, serverOnPort } from "../server/running-servers.ts";

/** Whether the user chose a database, by a flag or a variable. */
const isChosen = ({ SVC_DATA_DIR, SVC_DATABASE_URL }: Environment): boolean =>
  Boolean(SVC_DATA_DIR || SVC_DATABASE_URL);

/** @throws CommandError if a server runs with another database: a second one would stay unseen */
export async function requireNoServer(config: Config, env: Environment): Promise<void> {
  if (isChosen(env)) return;
  const [server] = await runningServers();
  const url = server?.url ?? (await serverOnPort(config));
  if (url === null) return;
  const [database, advice] = server
    ? [server.database, `For that one, ${choiceOf(server)}`]
    : ["a database of another folder or user", "For that one, run this command there and as that user"];
  throw new CommandError(
    `A server is already running at ${url}, with ${database}. ${advice}; to create a second one here, ` +
      "add --data-dir .",
  );
}

/**
 * Returns the variables that select the database of the only server that this user runs.
 * @throws CommandError if there is none, or if the user chose another database
 */
export async function databaseOfServer(
  path: string,
  env: Environment,
  advice: "create" | "server",
): Promise<Environment> {
  const servers = isChosen(env) ? [] : await runningServers();
  const [server] = servers;
  if (server?.databaseUrl && servers.length === 1)
    return { SVC_DATABASE_URL: server.databaseUrl, SVC_DATA_DIR: server.dataDir };
  const missing = `No database at ${resolve(path)}.`;
  if (server) {
    const choices = servers.map((one) => `for ${one.database} of ${one.url}, ${choiceOf(one)}`);
    throw new CommandError(`${missing} Choose the one of a running server: ${choices.join("; ")}.`);
  }
  const other =
    advice === "server"
      ? "use a server with svc login or --server"
      : "create one with svc serve or svc project link";
  throw new CommandError(`${missing} Name its folder with --data-dir, or ${other}.`);
}

const choiceOf = ({ databaseUrl, dataDir }: RunningServer): string =>
  databaseUrl === null
    ? "set SVC_DATABASE_URL as it is set for that server"
    : databaseUrl === `sqlite:${dataDir}/svc.db`
      ? `add --data-dir ${dataDir}`
      : `set SVC_DATABASE_URL=${databaseUrl}`;
