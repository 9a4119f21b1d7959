/** kill -9: what was acknowledged is there, nothing is there by half, and the next start goes on. */

import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { migrations } from "../../db/engine/migrate.ts";
import { openData } from "../../db/open.ts";
import { termOf } from "../../src/core/text/tokenizer.ts";
import type { EventKind } from "../../src/feed/schema.ts";
import { searchableEventKinds } from "../../src/memory/schema.ts";
import {
  type Dialect,
  dialects,
  event,
  expectConsistent,
  fileOf,
  freshDatabase,
  link,
  migratedDatabase,
  must,
  programCommand,
  programEnvironment,
  programToken,
  rowsOf,
  runProgram,
  type Server,
  sentKey,
  startServer,
  type TestDatabase,
  temporaryFolder,
  testClock,
  until,
} from "../support/harness.ts";
import { settled } from "./agreement.ts";
import { reached, scale, times } from "./promises.ts";
import { callsOf, canTrace, pointsOf, spread, traceStart } from "./strace.ts";

const kills = times("kills");
const killsOfOneDatabase = 5;
const writers = 4;
const batchMax = 6;

interface Batch {
  keys: string[];
  acknowledged: boolean;
}

const kinds = ["issue.opened", "issue.closed", "run.failed", "step.usage"] as const;

/** Reads what appends leave for later until the server is gone, so that it catches up all the time. */
async function read(server: Server, ended: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${programToken}` };
  for (const path of ["projects/atlas/usage", "recall?query=walrus"])
    await fetch(`${server.origin}/api/v1/${path}`, { headers }).then(
      async (response) => expect([200, await response.text()]).toEqual([response.status, expect.any(String)]),
      (error) => {
        if (!ended.aborted) throw error;
      },
    );
  if (!ended.aborted) await read(server, ended);
}

/** Appends batches until the server is gone, and remembers which ones it said yes to. */
async function write(server: Server, writer: string, batches: Batch[], ended: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
  for (let number = 0; ; number++) {
    const keys = Array.from(
      { length: 1 + (number % batchMax) },
      (_, index) => `${writer}-${number}-${index}`,
    );
    const batch = { keys, acknowledged: false };
    batches.push(batch);
    const events = keys.map((dedupe_key, index) => ({
      ...event({
        dedupe_key,
        project: index % 2 ? "atlas" : null,
        kind: must(kinds[number % kinds.length]),
        summary: "A walrus",
      }),
      ...{ issue: 1 + (number % 7), tokens_in: index, cost_equiv: 0.25 },
    }));
    try {
      const response = await fetch(`${server.origin}/api/v1/events`, {
        method: "POST",
        headers,
        body: JSON.stringify({ events }),
      });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      expect(await response.json()).toEqual({ accepted: keys.length, duplicates: 0 });
      batch.acknowledged = true;
    } catch (error) {
      if (!ended.aborted) throw error;
      return;
    }
  }
}

async function requireWhole(database: TestDatabase, batches: Batch[]): Promise<void> {
  await settled(database);
  const data = await openData(database.url, { now: testClock().now, log() {} });
  const events = await expectConsistent(data);
  const [found] = await data.countMatches(null, [{ term: termOf("walrus") }], events + 1);
  const stored = await rowsOf(database.url, "select kind from events");
  expect(found?.event).toBe(stored.filter(({ kind }) => searchableEventKinds.has(kind as EventKind)).length);
  const [{ pending } = {}] = await rowsOf(database.url, "select id - derived as pending from feed_head");
  expect(Number(pending)).toBe(0);
  expect(await data.findInconsistencies()).toEqual([]);
  await data.close();
  const keys = (await rowsOf(database.url, "select dedupe_key from events")).map((row) =>
    sentKey(row.dedupe_key),
  );
  expect(keys.length).toBe(events);
  const remaining = new Set(keys);
  for (const batch of batches) {
    const found = batch.keys.filter((key) => remaining.has(key)).length;
    if (batch.acknowledged) expect(found).toBe(batch.keys.length);
    else expect([0, batch.keys.length]).toContain(found);
  }
  if (database.dialect === "sqlite")
    expect(await rowsOf(database.url, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
}

describe.each(dialects)("a server on %s that is killed while it appends", (dialect) => {
  test(`${kills} times, at any moment: every acknowledged event is there, none by half`, async () => {
    let acknowledged = 0;
    for (let killed = 0; killed < kills; ) {
      await using database = await migratedDatabase(dialect);
      const data = await openData(database.url, { now: testClock().now, log() {} });
      await link(data, "atlas");
      const budget = {
        project: null,
        team: null,
        person: null,
        lane: null,
        model: null,
        period: "month",
        amount: 1e9,
      } as const;
      await data.atomically((writes) =>
        writes.addBudget({ ...budget, since: "2020-01-01", changed_by: "human:zoe", changed_at: 1 }),
      );
      await data.close();
      const batches: Batch[] = [];
      for (let round = 0; round < killsOfOneDatabase && killed < kills; round++, killed++) {
        await using server = await startServer(database);
        const ended = new AbortController();
        const writing = Array.from({ length: writers }, (_, writer) =>
          write(server, `${round}-${writer}`, batches, ended.signal),
        );
        writing.push(read(server, ended.signal));
        const acknowledgedCount = () => batches.filter((batch) => batch.acknowledged).length;
        const before = acknowledgedCount();
        await Promise.race([
          until(() => acknowledgedCount() > before, "a batch is acknowledged"),
          ...writing,
        ]);
        await Bun.sleep(Math.random() * 300);
        ended.abort();
        await server.kill();
        await Promise.all(writing);
        await requireWhole(database, batches);
      }
      acknowledged += batches.filter((batch) => batch.acknowledged).length;
    }
    expect(acknowledged).toBeGreaterThanOrEqual(kills);
    reached("kills", kills);
  });
});

const starts = times("firstStarts");

/** What is left beside a database file, other than its own log. */
const leftovers = (database: TestDatabase): string[] =>
  database.dialect === "sqlite"
    ? readdirSync(dirname(fileOf(database))).filter((name) => !/^svc\.db(-wal|-shm)?$/.test(name))
    : [];

/** A start that works: it takes an event, and has it. */
async function requireService(database: TestDatabase, server: Server): Promise<void> {
  const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
  const body = JSON.stringify({ events: [event()] });
  expect((await fetch(`${server.origin}/api/v1/events`, { method: "POST", headers, body })).status).toBe(200);
  expect((await rowsOf(database.url, "select name from schema_migrations")).length).toBe(migrations.length);
}

/** How long a start on no database takes, in milliseconds. */
async function startTime(dialect: Dialect): Promise<number> {
  await using database = await freshDatabase(dialect);
  const begun = performance.now();
  await using _ = await startServer(database);
  return performance.now() - begun;
}

describe.each(dialects)("a first start on %s", (dialect) => {
  test(`that is killed half-way, ${starts} times over: the next one works, and nothing is left lying about`, async () => {
    const tookMs = await startTime(dialect);
    for (let round = 0; round < starts; round++) {
      await using database = await freshDatabase(dialect);
      const running = runProgram(["serve", "--port", "0"], { SVC_DATABASE_URL: database.url });
      await Bun.sleep((tookMs * (round + 0.5)) / starts);
      await running.close();
      await using server = await startServer(database);
      await requireService(database, server);
      expect(leftovers(database)).toEqual([]);
      reached("firstStarts");
    }
  });

  test(`of two processes at once, ${starts} times over: both serve one database`, async () => {
    for (let round = 0; round < starts; round++) {
      await using database = await freshDatabase(dialect);
      const servers = await Promise.all([startServer(database), startServer(database)]);
      for (const server of servers) await requireService(database, server);
      const data = await openData(database.url, { now: testClock().now, log() {} });
      expect(await expectConsistent(data)).toBe(2);
      await data.close();
      for (const server of servers) expect(await server.terminate()).toBe(0);
      expect(leftovers(database)).toEqual([]);
      expect(must(servers[0]).errors()).not.toContain('"error"');
      reached("firstStarts");
    }
  });
});

const traceable = scale !== "suite" && (await canTrace());
const listening = /is running at/;

describe.skipIf(!traceable).each(dialects)("a first start on %s", (dialect) => {
  test("that is killed at any call that writes: the next one works, and nothing is left lying about", async () => {
    await using folder = await temporaryFolder();
    const place = join(folder.path, "trace");
    const names = dialect === "sqlite" ? callsOf.files : ["sendto", "sendmsg", "writev"];
    const start = (database: TestDatabase, flags: string[]) =>
      traceStart(
        [...programCommand(), "serve", "--port", "0"],
        programEnvironment({
          SVC_DATABASE_URL: database.url,
          SVC_ASSET_STORE: "none",
          SVC_PUBLIC_STORE: "none",
        }),
        ["-e", `trace=${names.join(",")}`, ...flags],
        place,
        listening,
      );
    await using first = await freshDatabase(dialect);
    const points = spread(pointsOf(await start(first, [])), times("migrationKills"));
    for (const { call, nth } of points) {
      await using database = await freshDatabase(dialect);
      await start(database, ["-e", `inject=${call}:signal=KILL:when=${nth}`]);
      await using server = await startServer(database);
      await requireService(database, server);
      expect([call, nth, leftovers(database)]).toEqual([call, nth, []]);
      reached("migrationKills");
    }
  });
});
