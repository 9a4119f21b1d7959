/**
 * Work that one process of a deployment does: one at a time, and taken over from a process that is gone or
 * silent.
 */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { type LeaderElection, openLeaderElection } from "../../db/engine/leader-election.ts";
import { openData } from "../../db/open.ts";
import { migratedDatabase, must, openTestData, startServer, testClock, until } from "../support/harness.ts";
import { startProxy } from "../support/servers/proxy.ts";
import { readExposition } from "../support/telemetry/prometheus.ts";

const quick = { heartbeatMs: 50, sessionTimeoutMs: 1_000 };
const work = "sweep";

const leaders = (candidates: LeaderElection[]): number[] =>
  candidates.flatMap((one, index) => (one.isLeader(work) ? [index] : []));

test("one of three processes is the leader, and another takes over when it exits", async () => {
  await using database = await migratedDatabase("postgres");
  const candidates = Array.from({ length: 3 }, () => openLeaderElection(database.url, quick));
  const counts = new Set<number>();
  const leading = () => {
    const found = leaders(candidates);
    counts.add(found.length);
    return found[0];
  };
  await until(() => leading() !== undefined, "one leads");
  const first = must(leading());
  await Bun.sleep(4 * quick.heartbeatMs);
  expect(leading()).toBe(first);
  await must(candidates[first]).close();
  await until(() => leading() !== undefined, "another one leads");
  expect(leading()).not.toBe(first);
  expect(Math.max(...counts)).toBe(1);
  for (const one of candidates) await one.close();
});

test("a leader is elected again after Postgres drops all sessions", async () => {
  await using database = await migratedDatabase("postgres");
  const candidates = [openLeaderElection(database.url, quick), openLeaderElection(database.url, quick)];
  const admin = new SQL(must(process.env.SVC_TEST_DATABASE_URL), { max: 1 });
  const name = new URL(database.url).pathname.slice(1);
  const sessions = async (): Promise<number[]> =>
    (
      await admin`select pid from pg_locks join pg_database on database = oid where locktype = 'advisory' and datname = ${name}`
    ).map((row: { pid: number }) => row.pid);
  for (let round = 0; round < 3; round++) {
    await until(() => leaders(candidates).length === 1, "one leads");
    const before = await sessions();
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await until(async () => {
      const now = await sessions();
      return now.length === 1 && now[0] !== before[0] && leaders(candidates).length === 1;
    }, "one leads on a session that is new");
  }
  await admin.close();
  for (const one of candidates) await one.close();
});

test("a leader whose connection goes silent steps down before another takes over", async () => {
  await using database = await migratedDatabase("postgres");
  await using proxy = await startProxy(new URL(database.url));
  const cut = openLeaderElection(proxy.url(database.url), quick);
  await until(() => cut.isLeader(work), "the first one leads");
  const other = openLeaderElection(database.url, quick);
  other.isLeader(work);
  proxy.stall();
  let both = false;
  await until(() => {
    both ||= cut.isLeader(work) && other.isLeader(work);
    return other.isLeader(work);
  }, "the other one leads");
  expect([both, cut.isLeader(work)]).toEqual([false, false]);
  for (const one of [cut, other]) await one.close();
});

test("a suspended process knows that it may no longer be the leader", async () => {
  await using database = await migratedDatabase("postgres");
  const sleeper = openLeaderElection(database.url, quick);
  await until(() => sleeper.isLeader(work), "it leads");
  Bun.sleepSync(quick.sessionTimeoutMs / 2);
  expect(sleeper.isLeader(work)).toBe(false);
  await sleeper.close();
});

test("every process on SQLite is a leader, since jobs are idempotent", async () => {
  await using testData = await openTestData("sqlite");
  const other = await openData(testData.url, { now: testClock().now, log() {} });
  expect([testData.data.isLeader(work), other.isLeader(work)]).toEqual([true, true]);
  await other.close();
});

test("one of two servers runs the cleanup, and the other takes over when it is killed", async () => {
  await using database = await migratedDatabase("postgres");
  await using first = await startServer(database, { SVC_PUBLIC_READ: "1" });
  const metric = async ({ origin }: { origin: string }, name: string, labels: Record<string, string>) =>
    readExposition(await (await fetch(`${origin}/metrics`)).text()).value(name, labels);
  const leads = async (server: { origin: string }) =>
    (await metric(server, "svc_worker_leads", { worker: "sweep of files" })) === 1;
  const rounds = (server: { origin: string }) =>
    metric(server, "svc_worker_runs_total", { worker: "sweep of files", outcome: "done" });
  await until(() => leads(first), "the first one sweeps");
  await using second = await startServer(database, { SVC_PUBLIC_READ: "1" });
  expect([await leads(first), await leads(second)]).toEqual([true, false]);
  await until(async () => (await rounds(first)) === 1, "it has swept");
  await Bun.sleep(1_500); // the other one has asked meanwhile whether it is its turn
  expect(await rounds(second)).toBeNaN();
  await first.kill();
  await until(async () => (await rounds(second)) === 1, "the second one sweeps");
});
