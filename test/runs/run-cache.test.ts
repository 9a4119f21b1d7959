/** What a process remembers of runs between appends, also while another process writes them. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import { dialects, link, openTestData, rowsOf } from "../support/harness.ts";
import { runEvent, wrongRuns } from "../support/runs.ts";

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
