/** Databases of both dialects, one for each test. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { migrations, partitionedLog } from "../../../db/engine/migrate.ts";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { testClock } from "../clock.ts";
import { type Closable, closable, temporaryFolder } from "../resources.ts";

export const dialects = ["sqlite", "postgres"] as const;
export type Dialect = (typeof dialects)[number];

/** For contracts of the log: also with partitions, as `SVC_POSTGRES_PARTITIONS` gives it. */
export const databaseKinds = [...dialects, "partitioned postgres"] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

export interface TestDatabase extends Closable {
  dialect: Dialect;
  /** Value for `SVC_DATABASE_URL`. */
  url: string;
}

/** Returns an empty database: a path for a new SQLite file, or a new database on the suite's Postgres. */
export const freshDatabase = (dialect: Dialect): Promise<TestDatabase> =>
  dialect === "sqlite" ? sqliteFile() : postgresDatabase("");

/**
 * Returns a database that has every migration and no data. It is a copy of one that was migrated before: the
 * migrations take the processors 190 ms on Postgres and 10 ms on SQLite, a copy of their result 15 ms and
 * 1 ms, and the suite needs hundreds of each.
 */
export const migratedDatabase = async (kind: DatabaseKind): Promise<TestDatabase> =>
  kind === "sqlite" ? sqliteFile(await migratedFile()) : postgresDatabase(await migratedTemplate(kind));

/** Returns the path of a new file, with the given content if there is any. */
async function sqliteFile(content?: Uint8Array): Promise<TestDatabase> {
  const folder = await temporaryFolder();
  const path = join(folder.path, "svc.db");
  if (content) await writeFile(path, content, { mode: 0o600 });
  return { dialect: "sqlite", url: `sqlite:${path}`, ...closable(folder.close) };
}

/** Returns the content of a migrated SQLite file, which it makes on first use. */
let migratedFile = (): Promise<Uint8Array> => {
  const made = makeMigratedFile();
  migratedFile = () => made;
  return made;
};

async function makeMigratedFile(): Promise<Uint8Array> {
  await using database = await sqliteFile();
  await createDatabase(database.url);
  return await Bun.file(fileOf(database)).bytes();
}

async function postgresDatabase(clause: string): Promise<TestDatabase> {
  const name = `svc_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await administer(`create database ${name} ${clause}`);
  return {
    dialect: "postgres",
    url: urlOf(name),
    ...closable(() => administer(`drop database if exists ${name} with (force)`)),
  };
}

/** Creates an empty database, for commands that do not create one. */
export async function createDatabase(url: string, partitions: "year" | null = null): Promise<void> {
  await (await openData(url, { now: testClock().now, log() {}, partitions })).close();
}

/** Writes to the database of a program as a command would, in a tenth of the time that a command takes. */
export async function writeTo<T>(url: string, work: (data: Data, now: number) => Promise<T>): Promise<T> {
  const now = () => Date.now() * 1000;
  const data = await openData(url, { now, log() {}, connections: 2 });
  try {
    return await work(data, now());
  } finally {
    await data.close();
  }
}

/** Queries the database directly, bypassing the data layer. */
export async function rowsOf(url: string, query: string): Promise<Record<string, unknown>[]> {
  const sql = new SQL(url.replace(/^sqlite:/, "sqlite://"), { max: 1 });
  try {
    return [...(await sql.unsafe(query))];
  } finally {
    await sql.close();
  }
}

/** Returns the file of a SQLite database URL. */
export const fileOf = (database: Pick<TestDatabase, "url">): string => database.url.slice("sqlite:".length);

/** Returns the URL of the Postgres of the tests. */
function postgresUrl(): URL {
  const url = process.env.SVC_TEST_DATABASE_URL;
  if (url) return new URL(url);
  throw new Error(
    "no Postgres to test with: run `bun run test [file …]`, which starts one, or set SVC_TEST_DATABASE_URL",
  );
}

function urlOf(database: string): string {
  const url = postgresUrl();
  url.pathname = `/${database}`;
  return url.href;
}

let admin: SQL | undefined;

/** Runs a statement on the one connection of this process that creates and drops databases. */
async function administer(statement: string): Promise<void> {
  admin ??= new SQL(postgresUrl().href, { max: 1 });
  await admin.unsafe(statement);
}

const templates = new Map<DatabaseKind, Promise<string>>();

/** Returns the clause of `create database` that copies a migrated database, which it makes on first use. */
function migratedTemplate(kind: DatabaseKind = "postgres"): Promise<string> {
  const partitions = kind === "partitioned postgres" ? "year" : null;
  const content = [migrations, partitions && partitionedLog];
  const name = `svc_template_${Bun.hash(JSON.stringify(content)).toString(36)}`;
  const template =
    templates.get(kind) ??
    makeTemplate(name, "", (url) => createDatabase(url, partitions)).catch((error) => {
      templates.delete(kind); // the next test tries again
      throw error;
    });
  templates.set(kind, template);
  return template;
}

/** All processes that test the same migrations on a server share one template. */
async function makeTemplate(
  name: string,
  clause: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  const exists = async () =>
    (await rowsOf(postgresUrl().href, `select 1 from pg_database where datname = '${name}'`)).length > 0;
  if (!(await exists())) {
    const building = `${name}_${process.pid}`;
    await administer(`create database ${building} ${clause}`);
    await fill(urlOf(building));
    try {
      await administer(`alter database ${building} rename to ${name}`);
    } catch (error) {
      await administer(`drop database ${building} with (force)`);
      if (!(await exists())) throw error; // otherwise another process was faster
    }
  }
  const [version] = await rowsOf(
    postgresUrl().href,
    "select current_setting('server_version_num')::int as number",
  );
  // Postgres 14 always copies files. Later ones log every page unless told otherwise, at twice the cost.
  return `template ${name}${Number(version?.number) < 150_000 ? "" : " strategy file_copy"}`;
}

/**
 * Returns a migrated Postgres database with data that takes long to write. The processes of a suite share what
 * the first of them wrote; without one each writes its own, so that nothing old is left on a server.
 * @param name of the data, in lower case
 */
export async function filledDatabase(
  name: string,
  fill: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  const migrated = await migratedTemplate();
  if (process.env.SVC_TEST_OWN_POSTGRES)
    return postgresDatabase(await makeTemplate(`svc_filled_${name}`, migrated, fill));
  const database = await postgresDatabase(migrated);
  await fill(database.url);
  return database;
}
