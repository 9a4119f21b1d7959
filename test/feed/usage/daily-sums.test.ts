/** Daily sums of usage: the same total however it is grouped, for the projects that a caller may read. */
import { describe, expect, test } from "bun:test";
import { dayMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { SummedGroup } from "../../../src/feed/rows.ts";
import { dialects, event, link, openTestData, rowsOf } from "../../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
const day = { from: "2026-03-01", to: "2026-03-01" };

describe.each(dialects)("usage on %s", (dialect) => {
  async function openUsage() {
    const testData = await openTestData(dialect);
    const { data } = testData;
    for (const slug of ["atlas", "borealis"]) await link(data, slug);
    const step = { kind: "step.usage", project: "atlas", lane: "lane_a", model: "m", tokens_in: 1 } as const;
    await data.append([
      event({ ...step, actor: "agent:a", issue: 7, cost_equiv: 1 }),
      event({ ...step, actor: "agent:a", issue: 7, pr: 8, cost_equiv: 2 }),
      event({ ...step, actor: "agent:b", pr: 7, cost_equiv: 4, model: "n" }),
      event({ ...step, actor: "agent:b", cost_equiv: 8, lane: null }),
      event({ ...step, actor: "agent:b", cost_equiv: 16, project: "borealis" }),
      event({ ...step, actor: "agent:b", cost_equiv: 32, ts: noon - dayMicros }),
      event({ ...step, actor: "agent:b", cost_equiv: 64, project: null }),
      event({ kind: "issue.opened", project: "atlas", actor: "human:zoe", issue: 9 }),
    ]);
    const costs = async (by: SummedGroup, projects: string[] | null = null, more: object = {}) =>
      (await data.groupUsage(projects, { ...day, by, perDay: false, ...more }))
        .map(({ project, model, lane, actor, issue, pr, cost_equiv }) => [
          [project, model, lane, actor, issue, pr].filter((key) => key !== null).join(" "),
          cost_equiv,
        ])
        .toSorted();
    return Object.assign(testData, { costs });
  }

  test("is summed by project, model, lane, actor and task", async () => {
    await using usage = await openUsage();
    expect(await usage.costs("project")).toEqual([
      ["atlas", 15],
      ["borealis", 16],
    ]);
    expect(await usage.costs("model")).toEqual([
      ["m", 27],
      ["n", 4],
    ]);
    expect(await usage.costs("lane")).toEqual([
      ["", 8],
      ["lane_a", 23],
    ]);
    expect(await usage.costs("actor")).toEqual([
      ["agent:a", 3],
      ["agent:b", 28],
    ]);
  });

  test("of a task is that of its issue, or of a pull request without an issue", async () => {
    await using usage = await openUsage();
    expect(await usage.costs("task")).toEqual([
      ["atlas 0 0", 8],
      ["atlas 0 7", 4],
      ["atlas 7 0", 3],
      ["borealis 0 0", 16],
    ]);
  });

  test("is that of the projects a caller may read, and of one of them", async () => {
    await using usage = await openUsage();
    expect(await usage.costs("actor", ["borealis"])).toEqual([["agent:b", 16]]);
    expect(await usage.costs("project", null, { project: "atlas" })).toEqual([["atlas", 15]]);
    expect(await usage.costs("project", ["borealis"], { project: "atlas" })).toEqual([]);
    expect(await usage.costs("model", [])).toEqual([]);
  });

  test("of each day is apart, and a range includes its first and its last day", async () => {
    await using usage = await openUsage();
    const query = { from: "2026-02-28", to: "2026-03-01", by: "actor", perDay: true } as const;
    const rows = await usage.data.groupUsage(["atlas"], query);
    expect(rows.map(({ day, actor, cost_equiv }) => [day, actor, cost_equiv]).toSorted()).toEqual([
      ["2026-02-28", "agent:b", 32],
      ["2026-03-01", "agent:a", 3],
      ["2026-03-01", "agent:b", 12],
    ]);
  });

  test("by task is summed from the events by a repair", async () => {
    await using usage = await openUsage();
    const before = await usage.costs("task");
    await rowsOf(usage.url, "delete from task_usage");
    expect((await usage.data.findInconsistencies()).map(({ kind }) => kind)).toEqual(["usage"]);
    await usage.data.rebuildDerivedRows(["usage"]);
    expect(await usage.costs("task")).toEqual(before);
    expect(await usage.data.findInconsistencies()).toEqual([]);
  });
});
