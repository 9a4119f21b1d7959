/**
 * Which server or database a command uses. In this order: `--server` or `--data-dir`; SVC_URL; a database in
 * SVC_DATABASE_URL or SVC_DATA_DIR; in the shell of an agent's session, the server that the agent is
 * connected to; the server of `svc login`; `svc.db` in the current folder; else the database of the server
 * that this user runs.
 */

import { relative } from "node:path";
import { UsageError } from "../command-errors.ts";
import { sessionConnection } from "./agent-session.ts";
import { readLogins } from "./login-file.ts";

export interface TargetArgs {
  server?: string | undefined;
  "data-dir"?: string | undefined;
}

/** A server, and what chose it. */
export interface ServerTarget {
  url: string;
  source: "--server" | "SVC_URL" | "connect" | "login";
  token: string | undefined;
  tokenSource: "SVC_TOKEN" | "connect" | "login" | null;
}

/** The server that a command calls; null if it uses a database. */
export function serverTarget(args: TargetArgs): ServerTarget | null {
  const [url, source] = chosenServer(args);
  if (url === undefined) return null;
  const token = source === "connect" && !process.env.SVC_TOKEN ? sessionConnection()?.token : undefined;
  if (token !== undefined) return { url, source, token, tokenSource: "connect" };
  return { url, source, ...tokenFor(url) };
}

type Choice = [url: string | undefined, source: ServerTarget["source"]];

function chosenServer({ server, "data-dir": dataDir }: TargetArgs): Choice {
  if (server !== undefined && dataDir !== undefined)
    throw new UsageError("--server and --data-dir cannot be used together.");
  if (server) return [server, "--server"];
  if (dataDir !== undefined) return [undefined, "--server"];
  const configured = process.env.SVC_URL?.trim();
  if (configured) return [configured, "SVC_URL"];
  if (process.env.SVC_DATABASE_URL || process.env.SVC_DATA_DIR || process.env.SVC_DATA_MODE === "mock")
    return [undefined, "login"];
  const connection = sessionConnection();
  if (connection) return [connection.server, "connect"];
  return [readLogins().current ?? undefined, "login"];
}

/** The token for a server: SVC_TOKEN, else the one that `svc login` saved for this server only. */
export function tokenFor(url: string): Pick<ServerTarget, "token" | "tokenSource"> {
  if (process.env.SVC_TOKEN) return { token: process.env.SVC_TOKEN, tokenSource: "SVC_TOKEN" };
  const saved = readLogins().servers[normalizeUrl(url)]?.token;
  return { token: saved, tokenSource: saved === undefined ? null : "login" };
}

/** The URL of a server without a trailing slash or the path of the API. */
export const normalizeUrl = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed ? parsed.origin + parsed.pathname.replace(/(\/api\/v1)?\/*$/, "") : url;
};

/** The path of a SQLite database file; null for Postgres and for a database in memory. */
export const databaseFile = (databaseUrl: string): string | null =>
  databaseUrl.startsWith("sqlite:") && databaseUrl !== "sqlite::memory:"
    ? databaseUrl.slice("sqlite:".length)
    : null;

/** Names a database as in `in svc.db`: relative to the current folder if it is inside, without a password. */
export function databaseName(databaseUrl: string): string {
  const file = databaseFile(databaseUrl);
  if (file === null)
    return databaseUrl.startsWith("sqlite:")
      ? "the demo data"
      : `Postgres at ${URL.parse(databaseUrl)?.host}${URL.parse(databaseUrl)?.pathname}`;
  const inside = relative(process.cwd(), file);
  return inside.startsWith("..") ? file : inside;
}
