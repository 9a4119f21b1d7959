/**
 * The servers that this user runs, for commands in other folders. Each answers on a Unix socket in the state
 * folder: no other user can connect to it or put one there, and the socket that a crash left behind refuses
 * connections.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../../src/core/config.ts";
import { paths } from "../../src/core/info.ts";
import { databaseFile, databaseName } from "../login/target.ts";
import { stateFolder } from "../login/user-folders.ts";

export interface RunningServer {
  url: string;
  /** The database in a sentence, without a password. */
  database: string;
  /** Null for Postgres, whose URL may have a password. */
  databaseUrl: string | null;
  dataDir: string;
}

const socketFolder = (): string => join(stateFolder(), "servers");
const answerMs = 1_000;

/** Announces a server to commands of the same user. @returns ends that */
export function announceServer({ siteUrl, databaseUrl, dataDir }: Config): () => void {
  const file = databaseFile(databaseUrl);
  const server: RunningServer = {
    url: siteUrl,
    database: file === null ? databaseName(databaseUrl) : resolve(file),
    databaseUrl: file === null ? null : `sqlite:${resolve(file)}`,
    dataDir,
  };
  try {
    const folder = socketFolder();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const path = join(folder, `${process.pid}.sock`);
    rmSync(path, { force: true });
    const listener = Bun.serve({ unix: path, fetch: () => Response.json(server) });
    return () => void listener.stop(true);
  } catch {
    return () => {}; // a service user without a home folder, or a path too long for a socket
  }
}

/** The servers of this user, one for each database. */
export async function runningServers(): Promise<RunningServer[]> {
  const folder = socketFolder();
  const found = await Promise.all(namesIn(folder).map((name) => askSocket(join(folder, name))));
  const byDatabase = new Map(found.flatMap((server) => (server ? [[server.database, server]] : [])));
  return [...byDatabase.values()];
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return []; // none has run yet
  }
};

async function askSocket(path: string): Promise<RunningServer | null> {
  try {
    const response = await fetch("http://svc/", { unix: path, signal: AbortSignal.timeout(answerMs) });
    return (await response.json()) as RunningServer;
  } catch (error) {
    // Left by a server that was killed. A busy one keeps its socket.
    if ((error as { code?: string }).code === "ConnectionRefused") rmSync(path, { force: true });
    return null;
  }
}

/** The URL at which svc answers on the configured port of this machine, as any user; null if it does not. */
export async function serverOnPort({ port }: Pick<Config, "port">): Promise<string | null> {
  const url = `http://127.0.0.1:${port}`;
  const signal = AbortSignal.timeout(answerMs);
  return fetch(`${url}${paths.api}/info`, { signal, redirect: "manual" })
    .then((response) => response.json())
    .then(
      (info) => ((info as { name?: unknown } | null)?.name === "svc" ? url : null),
      () => null,
    );
}
