/** A server with the project `atlas`, for the tests of commands that use a server. */
import { afterAll, beforeAll } from "bun:test";
import type { Environment } from "../../../src/core/config.ts";
import { command } from "../commands/command.ts";
import {
  linkIn,
  migratedDatabase,
  programToken,
  type Server,
  startServer,
  type TestDatabase,
  temporaryFolder,
} from "../harness.ts";

export interface LinkedServer {
  database: TestDatabase;
  /** The data folder. */
  folder: Awaited<ReturnType<typeof temporaryFolder>>;
  server: Server;
  /** Runs a command against the server. Its data folder does not exist, so it cannot use a local database. */
  svc(args: string[], token?: string): ReturnType<typeof command>;
}

/**
 * Opens the server before the tests of a file or a `describe`, and closes it after them.
 * @param env of the server
 */
export function useLinkedServer(env: Environment = {}): LinkedServer {
  const linked = {
    svc: (args, token = programToken) =>
      command([...args, "--server", linked.server.origin], {
        ...{ SVC_TOKEN: token, SVC_DATA_DIR: "/nowhere/at/all" },
      }),
  } as LinkedServer;
  beforeAll(async () => {
    linked.database = await migratedDatabase("sqlite");
    linked.folder = await temporaryFolder();
    await linkIn(linked.database);
    linked.server = await startServer(linked.database, { SVC_DATA_DIR: linked.folder.path, ...env });
  });
  afterAll(async () => {
    await linked.server?.close();
    await linked.database?.close();
    await linked.folder?.close();
  });
  return linked;
}

/** The objects of output with one per line. */
export const jsonLines = <T>(output: string): T[] =>
  output
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
