/** Drills: a backup under load comes back elsewhere as it was; a move that is killed goes on. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openData } from "../../db/open.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import { png } from "../support/assets/media.ts";
import { expectSameRows, hashObjects, readAllRows } from "../support/database/seeded-deployment.ts";
import {
  type Dialect,
  event,
  expectConsistent,
  freshDatabase,
  link,
  must,
  program,
  programToken,
  rowsOf,
  runProgram,
  type Server,
  sentKey,
  startServer,
  temporaryFolder,
  testClock,
  until,
} from "../support/harness.ts";
import { openLibrary, openPlace, type StorePlace } from "../support/library.ts";
import { bytesOf } from "../support/stores/store-sources.ts";
import { reached, times } from "./promises.ts";

type Where = readonly [Dialect, StorePlace];
const ways: { from: Where; to: Where }[] = [
  { from: ["sqlite", "disk"], to: ["postgres", "bucket"] },
  { from: ["postgres", "bucket"], to: ["sqlite", "disk"] },
];

/** An unused database with stores, and the environment that programs need for it. */
async function freshHouse([dialect, place]: Where) {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase(dialect));
  const stores = stack.use(await openPlace(place));
  const open = () => openData(database.url, { now: testClock().now, log() {} });
  return {
    ...{ database, stores, open, env: { ...stores.env, SVC_DATABASE_URL: database.url } },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What a client was told: keys of its events, ids of its assets. */
interface Receipt {
  keys: string[];
  ids: string[];
}

async function work({ origin }: Server, name: string, receipt: Receipt, ended: AbortSignal): Promise<void> {
  const authorization = `Bearer ${programToken}`;
  for (let number = 0; !ended.aborted; number++) {
    const keys = [0, 1, 2].map((part) => `${name}-${number}-${part}`);
    const body = JSON.stringify({
      events: keys.map((dedupe_key) => event({ dedupe_key, project: "atlas", tokens_in: number })),
    });
    const headers = { authorization, "content-type": "application/json" };
    expect((await fetch(`${origin}/api/v1/events`, { method: "POST", headers, body })).status).toBe(200);
    receipt.keys.push(...keys);
    if (number % 10 > 0) continue;
    const form = new FormData();
    form.append("project", "atlas");
    const bytes = number % 20 ? png(1 + (number % 50), 9) : bytesOf(1 + ((number * 7919) % 300_000), number);
    form.append("file", new File([Uint8Array.from(bytes)], number % 20 ? "a.png" : "a.bin"));
    const uploaded = await fetch(`${origin}/api/v1/assets`, {
      method: "POST",
      headers: { authorization },
      body: form,
    });
    expect(uploaded.status).toBe(201);
    receipt.ids.push(((await uploaded.json()) as Asset).id);
  }
}

describe.each(ways)("backups of $from", ({ from, to }) => {
  const drills = times("drills");
  test(`${drills} times under load: what was acknowledged before is there, and nothing that never was`, async () => {
    await using source = await freshHouse(from);
    await using folder = await temporaryFolder();
    const data = await source.open();
    await link(data, "atlas");
    await using server = await startServer(source.database, source.env);
    const receipt: Receipt = { keys: [], ids: [] };
    const ended = new AbortController();
    const working = ["a", "b"].map((name) => work(server, name, receipt, ended.signal));
    for (let drill = 0; drill < drills; drill++) {
      await until(() => receipt.ids.length > 4 * (drill + 1), "there is something new");
      const before = { keys: [...receipt.keys], ids: [...receipt.ids] };
      const place = join(folder.path, `${drill}.tar`);
      expect(await program(["backup", place], source.env)).toMatchObject({
        code: 0,
        errors: expect.stringMatching(/^Backed up to \S+: \d+ bytes/),
      });
      await using target = await freshHouse(to);
      expect(await program(["restore", place], target.env)).toMatchObject({ code: 0 });
      const restored = await target.open();
      await expectConsistent(restored);
      const [then, now, objects] = [
        await readAllRows(restored),
        await readAllRows(data),
        await hashObjects(target.stores),
      ];
      await restored.close();
      for (const table of ["events", "assets"])
        expect([table, new Set(then.get(table)).difference(new Set(now.get(table)))]).toEqual([
          table,
          new Set(),
        ]);
      const keys = new Set(must(then.get("events")).map((row) => sentKey(JSON.parse(row).dedupe_key)));
      expect(before.keys.filter((key) => !keys.has(key))).toEqual([]);
      const assets = must(then.get("assets")).map((row) => JSON.parse(row));
      expect(new Set(before.ids).difference(new Set(assets.map(({ id }) => id)))).toEqual(new Set());
      for (const { key, sha256 } of assets) expect([key, objects[`private/${key}`]]).toEqual([key, sha256]);
      expect(await program(["doctor", "--deep"], target.env)).toMatchObject({ code: 0 });
      reached("drills");
    }
    ended.abort();
    await Promise.all(working);
    await data.close();
  });
});

const moved = times("moved");
const assets = moved / 100;

/** Runs it until `isFar` says that it is half-way, then kills it. */
async function killed(
  args: string[],
  env: Record<string, string | undefined>,
  isFar: () => Promise<boolean>,
): Promise<void> {
  await using running = runProgram(args, env);
  await until(async () => (await isFar()) || running.process.exitCode !== null, "it is half-way", 600_000);
  expect([args[0], running.process.exitCode]).toEqual([args[0], null]);
}

test.skipIf(moved === 0)(
  `a move of ${moved} events and ${assets} assets is killed at every step, and arrives whole`,
  async () => {
    await using source = await openLibrary("sqlite", "disk");
    await using folder = await temporaryFolder();
    const { data } = source.ctx;
    for (let first = 0; first < moved; first += 1_000) {
      const events = Array.from({ length: 1_000 }, (_, index) =>
        event({
          dedupe_key: `move-${first + index}`,
          project: "atlas",
          kind: index % 9 ? "run.started" : "run.finished",
          tokens_in: index,
          cost_equiv: index / 8, // adds up to the same sum in any order
        }),
      );
      await data.atomically((writes) => writes.append(events));
    }
    for (let number = 0; number < assets; number++) {
      await source.plant({ bytes: "x".repeat(1 + ((number * 7919) % 100_000)) });
    }
    const env = { ...source.env, SVC_DATABASE_URL: source.url };
    const place = join(folder.path, "export");
    const files = async () => (await readdir(join(place, "private/atlas")).catch(() => [])).length;
    for (const share of [0.2, 0.6])
      await killed(["export", place], env, async () => (await files()) > assets * share);
    // Before the export, which records its time.
    const [rows, objects] = [await readAllRows(data), await hashObjects(source)];
    expect((await program(["export", place], env)).code).toBe(0);

    await using target = await freshHouse(["postgres", "bucket"]);
    const there = () => must(target.stores.s3).objects.size;
    for (const share of [0.2, 0.6])
      await killed(["import", place], target.env, async () => there() > assets * share);
    const isInRows = async () =>
      there() >= assets && /insert into [\\"]*events/.test(await activity(target.database.url));
    await killed(["import", place], target.env, isInRows);
    const between = await target.open();
    expect(await between.snapshot((all) => all.isEmpty())).toBe(true);
    expect((await program(["import", place], target.env)).code).toBe(0);
    await expectSameRows(rows, between);
    expect(await hashObjects(target.stores)).toEqual(objects);
    await between.close();
    reached("moved", moved);
  },
);

/** What the server of this database is at just now. */
async function activity(url: string): Promise<string> {
  return JSON.stringify(
    await rowsOf(url, "select query from pg_stat_activity where datname = current_database()"),
  );
}
