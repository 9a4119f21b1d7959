/** What a process remembers of runs between appends, also while another process writes them. */
import { describe, expect, test } from "bun:test";
import { emptyCaches } from "../../../db/engine/session.ts";
import { RunCache } from "../../../db/feed/runs/run-cache.ts";
import { openData } from "../../../db/open.ts";
import { emptyRun, type RunEvent } from "../../../src/feed/runs/fold.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import { dialects, link, openTestData, rowsOf } from "../../support/harness.ts";
import { runEvent, wrongRuns } from "../../support/memory/runs.ts";

test("a key is not without a run again once its run is evicted", () => {
  const cache = new RunCache();
  const event = { ...runEvent({ kind: "run.started" }), at: 1, ts: 1, files: [] } as unknown as RunEvent;
  const run = { state: emptyRun("event:1", null, event), listed: null };
  cache.set("first", null);
  for (const key of ["first", ...Array.from({ length: 10_000 }, (_, index) => `${index}`)])
    cache.set(key, run);
  expect(cache.get("first")).toBeUndefined();
  expect(cache.get("9999")).toBe(run);
});

test("as many events as can be pending are remembered while they are read in order", () => {
  const { pendingEvents } = emptyCaches();
  const ids = Array.from({ length: 1_999 }, (_, id) => id);
  for (const id of ids) pendingEvents.set(id, {} as EventRow);
  expect(ids.filter((id) => !pendingEvents.get(id))).toEqual([]);
});

describe.each(dialects)("on %s", (dialect) => {
  async function openTwo() {
    const testData = await openTestData(dialect);
    await link(testData.data, "atlas");
    const other = await openData(testData.url, { now: testData.clock.now, log() {} });
    return {
      ...testData,
      other,
      stepsOf: () => rowsOf(testData.url, "select id, steps, status from runs order by id"),
      async [Symbol.asyncDispose]() {
        await other.close();
        await testData[Symbol.asyncDispose]();
      },
    };
  }
  const both = (fields: Parameters<typeof runEvent>[0]) => [
    runEvent({ ...fields, issue: 1 }),
    runEvent({ ...fields, run_id: "named" }),
  ];
  const start = () => both({ kind: "run.started" });
  const step = () => both({ kind: "step.usage" });

  test("two processes that append to a run in turn count all of its steps", async () => {
    await using two = await openTwo();
    await two.data.append(start());
    for (let round = 0; round < 3; round++) {
      await two.data.append(step());
      await two.data.append(step());
      await two.other.append(step());
    }
    await two.other.append(both({ kind: "run.finished" }));
    await two.data.append(start());
    expect(await two.stepsOf()).toMatchObject([
      { id: "event:1", status: "finished" },
      { id: "event:23", status: "running" },
      { id: "named" },
    ]);
    expect((await two.stepsOf()).map(({ steps }) => Number(steps))).toEqual([9, 0, 9]);
    expect(await wrongRuns(two.data)).toEqual([]);
  });

  test("an append that is rolled back leaves nothing behind", async () => {
    await using two = await openTwo();
    await two.data.append([...start(), ...step()]);
    const fail = () => {
      throw new Error("rolled back");
    };
    const ends = both({ kind: "run.failed" });
    const undone = [
      () => two.data.atomically((writes) => writes.append(ends).then(fail)),
      () => two.data.append(ends, fail),
    ];
    for (const append of undone) {
      await expect(append()).rejects.toThrow("rolled back");
      await two.data.append(step());
    }
    expect((await two.stepsOf()).map(({ steps, status }) => [Number(steps), status])).toEqual([
      [3, "running"],
      [3, "running"],
    ]);
    expect(await wrongRuns(two.data)).toEqual([]);
  });

  test("runs that another process rebuilt are read again", async () => {
    await using two = await openTwo();
    await two.other.append(start());
    await rowsOf(two.url, "update runs set steps = 7");
    await two.data.append(step());
    expect(await wrongRuns(two.data)).toEqual(["event:1", "named"]);
    await two.other.rebuildDerivedRows(["runs"]);
    await two.data.append(step());
    expect(await wrongRuns(two.data)).toEqual([]);
  });
});
