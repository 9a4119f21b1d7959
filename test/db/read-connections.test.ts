/** On which connection to Postgres a statement runs, and what waits for what. */
import { afterAll, afterEach, beforeAll, expect, mock, spyOn, test } from "bun:test";
import { SQL } from "bun";
import { sql } from "drizzle-orm";
import { openPostgres, type PostgresBackend } from "../../db/engine/postgres.ts";
import { ReadConnections } from "../../db/engine/read-connections.ts";
import { taskKeys } from "../../db/overview/tasks/reads.ts";
import { allRows } from "../../db/query/statements.ts";
import { migratedDatabase, type TestDatabase } from "../support/harness.ts";

const readers = 3;
let database: TestDatabase;
let postgres: PostgresBackend;
beforeAll(async () => {
  database = await migratedDatabase("postgres");
  postgres = await openPostgres(database.url, { connections: readers + 1 });
});
afterAll(async () => {
  await postgres.close();
  await database[Symbol.asyncDispose]();
});

/** What a report waits for, while a test has it. */
const lock = 7;

/** The process of Postgres that ran a statement. */
const backendOf = async (column: string): Promise<number> => {
  const work = column === "report" ? sql`pg_advisory_xact_lock_shared(${lock})` : sql`pg_sleep(${0.0001})`;
  const statement = sql`select pg_backend_pid() as pid, ${work} as ${sql.identifier(column)}`;
  const [row] = await postgres.outsideTransaction(() =>
    allRows<{ pid: number }>(postgres.readSession, statement),
  );
  return row?.pid as number;
};
const backendsOf = async (column: string, count: number): Promise<Set<number>> =>
  new Set(await Promise.all(Array.from({ length: count }, () => backendOf(column))));

/** More at a time than statements follow each other, until every connection is open. */
async function openAll(column: string): Promise<void> {
  while ((await backendsOf(column, 100)).size < readers) await Bun.sleep(10);
}

test("many statements at a time run on all connections", async () => {
  await openAll("many");
  expect((await backendsOf("many", 100)).size).toBe(readers);
});

test("a statement runs where it is prepared, even behind others", async () => {
  await openAll("other");
  const first = await backendOf("few");
  const found = await Promise.all([backendsOf("other", 3), backendsOf("few", 6)]);
  expect(found[1]).toEqual(new Set([first]));
  expect(await backendOf("few")).toBe(first);
});

test("no statement waits for a slow one on its connection", async () => {
  await openAll("quick");
  await backendOf("report");
  await using holder = new SQL(database.url, { max: 1 });
  for (const times of [1, 2]) {
    await holder`select pg_advisory_lock(${lock})`;
    const report = backendOf("report");
    // The first time, it is known to be slow only when it has run for a while.
    if (times === 1) await Bun.sleep(100);
    const others = new Set<number>();
    for (let round = 0; round < 10; round++)
      for (const backend of await backendsOf("quick", 20)) others.add(backend);
    const second = backendOf("report");
    await holder`select pg_advisory_unlock(${lock})`;
    expect(others.add(await second)).not.toContain(await report);
  }
});

let time = 0;
afterEach(() => mock.restore());

/** Two connections, and a function that sends a statement to one of them, which answers after 40 ms. */
function distantConnections() {
  spyOn(performance, "now").mockImplementation(() => time);
  const connections = new ReadConnections(() => {});
  const [first, second] = [{}, {}] as [SQL, SQL];
  connections.add(first);
  connections.add(second);
  const send = (ms = 40) =>
    connections.run("page", async (sql) => {
      await Promise.resolve();
      time += ms;
      return sql;
    });
  return { connections, first, second, send };
}

test("what the network takes makes no statement slow", async () => {
  const { first, send } = distantConnections();
  for (let times = 0; times < 2; times++) expect(await send()).toBe(first);
  for (const used of await Promise.all([send(), send(), send()])) expect(used).toBe(first);
});

test("a connection that breaks tells nothing of the network", async () => {
  const { connections, first, send } = distantConnections();
  await expect(connections.run("page", () => Promise.reject(new Error("closed")))).rejects.toThrow("closed");
  for (let times = 0; times < 2; times++) expect(await send()).toBe(first);
  for (const used of await Promise.all([send(), send(), send()])) expect(used).toBe(first);
});

test("a server that is further away than the one before it makes no statement slow", async () => {
  const { connections, first, second, send } = distantConnections();
  for (let times = 0; times < 2; times++) expect(await send(1)).toBe(first);
  connections.delete(first);
  connections.delete(second);
  connections.add(first);
  connections.add(second);
  for (let times = 0; times < 2; times++) expect(await send()).toBe(first);
  for (const used of await Promise.all([send(), send(), send()])) expect(used).toBe(first);
});

test("pages of tasks at any place are one statement", async () => {
  const query = { sort: "cost" as const, limit: 10, lost: 0 };
  for (const offset of [...Array(30).keys(), 1_790_000_000_000_000])
    await postgres.outsideTransaction(() => taskKeys(postgres.readSession, ["atlas"], { ...query, offset }));
  const [row] = await postgres.outsideTransaction(() =>
    allRows<{ count: number | string }>(
      postgres.readSession,
      sql`select count(*) as count from pg_prepared_statements where statement like ${"%offset%"}`,
    ),
  );
  expect(Number(row?.count)).toBeLessThan(5);
});
