/** Runs without a run_id, and repairing runs. */
import { describe, expect, test } from "bun:test";
import type { Data } from "../../../src/api/port.ts";
import { dayMicros, secondMicros, toMicros } from "../../../src/core/lib/time.ts";
import { dialects, link, openTestData, rowsOf } from "../../support/harness.ts";
import { runEvent, runRowsOf, wrongRuns } from "../../support/memory/runs.ts";

const noon = toMicros("2026-02-20T12:00:00Z");
const at = (seconds: number) => noon + seconds * secondMicros;

async function openAtlas(dialect: (typeof dialects)[number]) {
  const testData = await openTestData(dialect);
  await link(testData.data, "atlas");
  return testData;
}
const runsOf = async (data: Data) =>
  (await data.runs(null, { limit: 50 })).runs.map(({ id, status, steps }) => [id, status, steps]);

describe.each(dialects)("without a run_id, on %s", (dialect) => {
  const started = (seconds: number) => runEvent({ kind: "run.started", issue: 1, ts: at(seconds) });
  const step = (seconds: number) => runEvent({ kind: "step.usage", issue: 1, ts: at(seconds) });
  const finished = (seconds: number) => runEvent({ kind: "run.finished", issue: 1, ts: at(seconds) });

  test("a second start takes over, and the former run stays as it is", async () => {
    await using testData = await openAtlas(dialect);
    const { data } = testData;
    await data.append([started(0), step(1), started(2), step(3)]);
    await data.append([step(4), finished(5)]);
    expect(await runsOf(data)).toEqual([
      ["event:3", "finished", 2],
      ["event:1", "running", 1],
    ]);
  });

  test("a run takes no event after a day", async () => {
    await using testData = await openAtlas(dialect);
    const day = dayMicros / secondMicros;
    await testData.data.append([started(0), step(day)]);
    await testData.data.append([step(day + 1)]);
    expect(await runsOf(testData.data)).toEqual([["event:1", "running", 1]]);
    expect(await wrongRuns(testData.data)).toEqual([]);
  });

  test("events imported into the past join the run they fall into", async () => {
    await using testData = await openAtlas(dialect);
    const { data } = testData;
    await data.append([started(0), step(10), step(20), finished(30)]);
    await data.append([step(15)]);
    expect(await runsOf(data)).toEqual([["event:1", "finished", 3]]);
    await data.append([finished(12)]);
    expect(await runsOf(data)).toEqual([["event:1", "finished", 1]]);
    await data.append([started(14)]);
    expect(await runsOf(data)).toEqual([
      ["event:7", "finished", 2],
      ["event:1", "finished", 1],
    ]);
    expect(await wrongRuns(data)).toEqual([]);
  });

  test("events of another actor, task or project, or with a run_id, do not belong to it", async () => {
    await using testData = await openAtlas(dialect);
    await link(testData.data, "borealis");
    const steps = [
      { issue: 2 },
      { pr: 1 },
      { issue: 1, actor: "agent:other" },
      { issue: 1, project: "borealis" },
      { issue: 1, run_id: "own" },
      { issue: 1, pr: 5 },
    ];
    const toEvent = (fields: object, index: number) =>
      runEvent({ kind: "step.usage", ts: at(index + 1), ...fields });
    await testData.data.append([started(0), ...steps.map(toEvent)]);
    expect((await runsOf(testData.data)).toSorted()).toEqual([
      ["event:1", "running", 1],
      ["own", "running", 1],
    ]);
    const [run] = (await testData.data.runs(null, { issue: 1, pr: 5, limit: 1 })).runs;
    expect(run?.id).toBe("event:1");
    expect((await testData.data.runEvents(run as never, { limit: 50 })).map(({ id }) => id)).toEqual([1, 7]);
  });
});

describe.each(dialects)("svc doctor on %s", (dialect) => {
  test("finds runs that differ from their events, lack them, or are missing, and rebuilds them", async () => {
    await using testData = await openAtlas(dialect);
    const { data, url } = testData;
    for (const run_id of ["changed", "missing", "right"])
      await data.append([
        runEvent({ run_id, kind: "run.started", at: noon, tokens_in: 7, cost_equiv: 0.1 }),
        runEvent({ run_id, kind: "run.failed", at: noon + 1, cost_equiv: 0.2 }),
      ]);
    await data.append([runEvent({ kind: "run.started", issue: 1 })]);
    const before = await runRowsOf(url);
    expect(await wrongRuns(data)).toEqual([]);
    await rowsOf(url, "update runs set steps = steps + 1 where id = 'changed'");
    await rowsOf(url, "delete from runs where id in ('missing', 'event:7')");
    await rowsOf(url, "update runs set id = 'invented' where id = 'right'");
    expect((await data.findInconsistencies()).find(({ kind }) => kind === "runs")).toEqual({
      ...{ kind: "runs", count: 5, names: ["changed", "event:7", "invented"] },
    });
    await data.rebuildDerivedRows(["runs"]);
    expect(await wrongRuns(data)).toEqual([]);
    expect(await runRowsOf(url)).toEqual(before);
  });
});
