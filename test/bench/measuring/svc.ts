/** Starts svc on prepared data, as it runs in production: with a token of the database, rate limit and log. */
import { SQL } from "bun";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { generateToken, hashToken } from "../../../src/core/auth/token.ts";
import type { Place } from "./measure.ts";

/** A token with all scopes, which `serveSvc` adds. */
export const token = generateToken();
export const bearer = { Authorization: `Bearer ${token}` };

/** Runs `work` on the data at a URL (`sqlite:…` or `postgres:…`), and closes it. */
export async function withData<T>(url: string, work: (data: Data) => Promise<T>): Promise<T> {
  const data = await openData(url, { now: () => Date.now() * 1000, log() {} });
  const result = await work(data);
  await data.close();
  return result;
}

/** The URL of a SQLite database in the folder `name`. */
export const sqliteUrl = (place: Place, name: string): string => `sqlite:${place.path(`${name}/svc.db`)}`;

/** Starts the server with the folder `name` for its files, and its database there unless `env` names another. */
export async function serveSvc(
  place: Place,
  svc: string,
  name: string,
  env: Record<string, string> = {},
): Promise<string> {
  const database = { SVC_DATABASE_URL: sqliteUrl(place, name), ...env };
  await addBenchToken(database.SVC_DATABASE_URL);
  return startSvc(place, svc, name, database);
}

export function addBenchToken(url: string): Promise<boolean> {
  const row = { scopes: allScopes, projects: null, created_at: 1, expires_at: null };
  return withData(url, (data) =>
    data.atomically((writes) => writes.addToken({ name: "bench", hash: hashToken(token), ...row })),
  );
}

/** Starts the server on a database that has the token. */
export const startSvc = (
  place: Place,
  svc: string,
  name: string,
  env: Record<string, string>,
): Promise<string> =>
  place.serve([svc, "serve"], {
    ...{ SVC_DATA_DIR: place.path(name), SVC_PORT: "0", SVC_RATE_LIMIT: "999999999/60" },
    ...env,
  });

/** Starts a program of `plain/`. */
export const servePlain = (place: Place, name: string, ...args: string[]): Promise<string> =>
  place.serve([process.execPath, `${import.meta.dir}/../plain/${name}.ts`, ...args]);

/** Starts a server of these bytes: the least that a server does. */
export async function servePrebuilt(place: Place, body: string): Promise<string> {
  const path = place.path(`prebuilt-${Bun.hash(body).toString(36)}`);
  await Bun.write(path, body);
  return servePlain(place, "prebuilt", path);
}

/** The text of a response of svc. */
export async function read(url: string): Promise<string> {
  const response = await fetch(url, { headers: bearer });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.text();
}

/** @throws Error unless the programs answer alike */
export function requireSame(...answers: string[]): void {
  if (new Set(answers).size > 1)
    throw new Error(
      `the programs answer differently: ${answers.map((text) => text.slice(0, 600)).join("\n")}`,
    );
}

/** @returns the URL of a new database of a server, beside its others; a copy of one of them, if it is named */
export async function createDatabase(server: string, name: string, source = "template1"): Promise<string> {
  await using sql = new SQL(server, { max: 1 });
  await sql.unsafe(`create database ${name} template ${source}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/** As the autovacuum of Postgres does within a minute. */
export async function analyze(url: string): Promise<void> {
  await using sql = new SQL(url, { max: 1 });
  await sql`analyze`;
}
