/** A recall index that an older analyzer made: the server rebuilds it while it answers. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Context } from "../../src/api/context.ts";
import { checkRecallIndex, checkRows } from "../../src/api/doctor/inconsistencies.ts";
import { adminCaller, type Caller } from "../../src/core/auth/caller.ts";
import { secondMicros } from "../../src/core/lib/time.ts";
import { rebuildOutdatedIndex } from "../../src/memory/recall/rebuild-outdated.ts";
import { recall } from "../../src/memory/recall/recall.ts";
import {
  type Dialect,
  dialects,
  event,
  expectConsistent,
  link,
  migratedDatabase,
  must,
  openApp,
  rowsOf,
  startServer,
  testClock,
  until,
} from "../support/harness.ts";

const limited = { projects: ["atlas"] };

type Memory = { ctx: Pick<Context, "data" | "now"> };

const idsOf = async (app: Memory, query: string, caller: Pick<Caller, "projects"> = limited) =>
  (await recall(app.ctx, { query, limit: 50 }, caller)).hits.map(({ id }) => id);

/** Events that say in German that a payment was declined, so only a German stem finds `Zahlung`. */
const appendEvents = (app: Memory, count: number) =>
  app.ctx.data.append(
    Array.from({ length: count }, (_, index) =>
      event({
        kind: "run.failed",
        project: "atlas",
        summary: `Die Zahlungen sind abgelehnt, Lauf lauf${index}`,
      }),
    ),
  );

/**
 * Gives the events the terms of version 1: their words in lower case, without stems and without audiences.
 */
async function ageIndex(dialect: Dialect, url: string): Promise<void> {
  if (dialect === "sqlite") {
    await rowsOf(url, "insert into event_terms (event_terms) values ('delete-all')");
    await rowsOf(
      url,
      "insert into event_terms (rowid, head, body) select id, '', lower(wire ->> 'summary') from events where kind = 'run.failed'",
    );
  } else
    await rowsOf(
      url,
      "update event_terms as t set terms = (select to_tsvector('simple', wire::json ->> 'summary') from events as e where e.id = t.id)",
    );
  await rowsOf(url, "update recall_indexes set analyzer = 1, pending = null");
}

describe.each(dialects)("an index of an older analyzer on %s", (dialect) => {
  test("answers while it is rebuilt, and finds the new terms afterwards", async () => {
    await using app = await openApp(dialect);
    const { data } = app.ctx;
    await link(data, "atlas");
    await appendEvents(app, 500);
    await idsOf(app, "lauf77"); // which indexes what is pending
    expect((await data.recallIndexState()).state).toBe("current");
    await ageIndex(dialect, app.url);
    expect(await data.recallIndexState()).toMatchObject({ state: "outdated", share: 0 });
    expect(await idsOf(app, "Zahlung")).toEqual([]);
    expect(await idsOf(app, "lauf77", adminCaller)).toEqual([78]);

    // The first transactions rebuild the other kinds, then the newest events.
    let share = 0;
    while ((await idsOf(app, "Zahlung")).length === 0) {
      expect(await data.rebuildRecallBatch()).toBe(true);
      share = (await data.recallIndexState()).share;
    }
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(1);
    expect(await idsOf(app, "lauf77", adminCaller)).toEqual([78]);
    expect(await idsOf(app, "lauf490", adminCaller)).toEqual([491]);

    await appendEvents(app, 501);
    await rebuildOutdatedIndex(app.ctx, () => true);
    expect((await data.recallIndexState()).state).toBe("current");
    expect(await idsOf(app, "lauf77")).toEqual([578, 78]);
    expect((await idsOf(app, "Zahlung")).length).toBe(50);
    expect(await idsOf(app, "lauf500")).toEqual([1001]);
    await expectConsistent(data);
  });

  test("is rebuilt by the server, which answers at once, and goes on after kill -9", async () => {
    await using database = await migratedDatabase(dialect);
    const open = async () => {
      const { now } = testClock();
      const data = await openData(database.url, { now, log() {} });
      return { ctx: { data, now }, [Symbol.asyncDispose]: () => data.close() };
    };
    {
      await using app = await open();
      await link(app.ctx.data, "atlas");
      for (let batch = 0; batch < 6; batch++) await appendEvents(app, 1_000);
      await idsOf(app, "lauf77");
    }
    await ageIndex(dialect, database.url);
    const pending = async () => {
      const rows = await rowsOf(
        database.url,
        "select analyzer, pending from recall_indexes where kind = 'event'",
      );
      const { analyzer, pending } = must(rows[0]);
      return Number(analyzer) === 1 ? Number.POSITIVE_INFINITY : Number(pending);
    };
    {
      const server = await startServer(database);
      await until(async () => (await pending()) < 6_000, "the first rebuilt events");
      await server.kill();
    }
    const left = await pending();
    expect(left).toBeGreaterThan(0);
    await using _ = await startServer(database);
    await until(async () => (await pending()) === 0, "the whole rebuild");
    await using app = await open();
    expect((await idsOf(app, "Zahlung")).length).toBe(50);
    await expectConsistent(app.ctx.data);
  });

  test("of a newer analyzer stays as it is, and svc doctor says so", async () => {
    await using app = await openApp(dialect);
    await rowsOf(app.url, "update recall_indexes set analyzer = 999");
    expect(await app.ctx.data.rebuildRecallBatch()).toBe(false);
    expect(await rowsOf(app.url, "select distinct analyzer as version from recall_indexes")).toHaveLength(1);
    expect(await checkRows(app.ctx, { deep: false })).toMatchObject([
      { level: "warning", what: "recall index", detail: expect.stringContaining("made by a newer svc") },
    ]);
    await app.ctx.data.rebuildDerivedRows(["index"]);
    expect((await app.ctx.data.recallIndexState()).state).toBe("current");
  });
});

test("svc doctor tells how far the rebuild is, and warns once it has stopped", () => {
  const state = { state: "outdated", share: 0.427, changedAt: 1_000_000 } as const;
  expect(checkRecallIndex(state, 2_000_000)).toMatchObject([
    { level: "ok", detail: "being rebuilt in the background after an upgrade, 42% done" },
  ]);
  expect(checkRecallIndex(state, 3_600 * secondMicros)).toMatchObject([
    { level: "warning", detail: expect.stringContaining("has stopped at 42% done: start svc serve") },
  ]);
});
