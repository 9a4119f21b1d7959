/** Sums of days that a process remembers: those of the events, in any order and from any process. */
import { describe, expect, test } from "bun:test";
import { DayCache } from "../../../db/feed/usage/day-cache.ts";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { dayMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { RememberedGroup, SummedGroup, UsageRange } from "../../../src/feed/rows.ts";
import type { UsageSums } from "../../../src/feed/usage/schema.ts";
import { noUsage } from "../../../src/feed/usage/sums.ts";
import { must } from "../../support/conditions.ts";
import { dialects, event, link, openTestData, rowsOf } from "../../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
const range = { from: "2026-02-25", to: "2026-03-01" };
const groups: SummedGroup[] = ["project", "model", "lane", "actor", "person", "team"];

const step = (cost_equiv: number, more: object = {}) =>
  event({
    kind: "step.usage",
    project: "atlas",
    actor: "agent:a",
    model: "m",
    cost_equiv,
    ts: noon,
    ...more,
  });

const reportOf = async (data: Data) => {
  const rows = await Promise.all(
    groups.flatMap((by) => [true, false].map((perDay) => data.groupUsage(null, { ...range, by, perDay }))),
  );
  const shared = await Promise.all(sharedGroups.map((by) => groupsOf(data, by)));
  return [
    ...rows.map((of) => of.map((row) => JSON.stringify(row)).sort()),
    shared,
    await expensesOf(data, range),
  ];
};

const sharedGroups: RememberedGroup[] = ["project", "model", "lane", "actor"];

/** The sums of groups as reports share them: by day, and in all. */
async function groupsOf(
  data: Data,
  by: RememberedGroup,
  more: object = {},
  projects: string[] | null = null,
) {
  const found = must(await data.groupDays(projects, { ...range, by, ...more }));
  const costs = (sums: ReadonlyMap<string, UsageSums>) =>
    [...sums].map(([name, { cost_equiv }]) => `${name} ${cost_equiv}`).sort();
  const days = found.days.filter(({ sums }) => sums.size > 0);
  return [
    ...days.map(({ day, sums, total }) => [day, total.cost_equiv, ...costs(sums)]),
    costs(found.totals),
  ];
}

/** The most expensive tasks and runs. */
const expensesOf = async (data: Data, days: UsageRange, projects: string[] | null = null) => ({
  tasks: await data.expensiveTasks(projects, { ...days, limit: 10 }),
  count: await data.countTasks(projects, days),
  runs: await data.expensiveRuns(projects, { ...days, limit: 10 }),
  started: await data.countRuns(projects, days),
  all: await data.expensiveTasks(projects, { ...days, limit: 200 }),
});

/** More projects and days than a process remembers, so that the database sums them. */
const manyProjects = ["atlas", "borealis", ...Array.from({ length: 12 }, (_, number) => `project-${number}`)];
const tenYears = { from: "2017-01-01", to: "2026-12-31" };

const costOf = async (data: Data, more: object = {}, projects: string[] | null = null) =>
  (await data.groupUsage(projects, { ...range, by: "project", perDay: false, ...more })).reduce(
    (sum, { cost_equiv }) => sum + cost_equiv,
    0,
  );

describe.each(dialects)("remembered sums on %s", (dialect) => {
  async function openUsage() {
    const testData = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(testData.data, slug);
    await testData.data.append([step(1), step(2, { ts: noon - dayMicros, project: "borealis" })]);
    const openOther = () => openData(testData.url, { now: () => noon, log() {} });
    return Object.assign(testData, { openOther });
  }

  test("have what is appended later, also on a day of the past", async () => {
    await using usage = await openUsage();
    expect(await costOf(usage.data)).toBe(3);
    await usage.data.append([step(4)]);
    expect(await costOf(usage.data)).toBe(7);
    await usage.data.append([step(8, { ts: noon - 3 * dayMicros, project: "borealis" })]);
    expect(await costOf(usage.data)).toBe(15);
    expect(await costOf(usage.data, { project: "borealis" })).toBe(10);
    expect(await costOf(usage.data, { to: "2026-02-27" })).toBe(8);
  });

  test("have what another process appends, also more events than are followed one by one", async () => {
    await using usage = await openUsage();
    const other = await usage.openOther();
    expect(await costOf(usage.data)).toBe(3);
    await other.append([step(4, { ts: noon - 2 * dayMicros })]);
    expect(await costOf(usage.data)).toBe(7);
    await other.append(Array.from({ length: 2_100 }, (_, at) => step(1, { actor: `agent:${at % 3}` })));
    expect(await costOf(usage.data)).toBe(2_107);
    expect(await reportOf(usage.data)).toEqual(await reportOf(other));
    await other.close();
  });

  test("of groups are those of each project together", async () => {
    await using usage = await openUsage();
    const yesterday = ["2026-02-28", 2, "m 2"];
    expect(await groupsOf(usage.data, "model")).toEqual([yesterday, ["2026-03-01", 1, "m 1"], ["m 3"]]);
    await usage.data.append([step(4, { project: "borealis" })]);
    const today = ["2026-03-01", 5, "atlas 1", "borealis 4"];
    expect(await groupsOf(usage.data, "project")).toEqual([
      ["2026-02-28", 2, "borealis 2"],
      today,
      ["atlas 1", "borealis 6"],
    ]);
    expect(await groupsOf(usage.data, "model")).toEqual([yesterday, ["2026-03-01", 5, "m 5"], ["m 7"]]);
    expect(await groupsOf(usage.data, "project", {}, ["atlas"])).toEqual([
      ["2026-03-01", 1, "atlas 1"],
      ["atlas 1"],
    ]);
    const borealis = { project: "borealis" };
    expect(await groupsOf(usage.data, "model", borealis)).toEqual([
      yesterday,
      ["2026-03-01", 4, "m 4"],
      ["m 6"],
    ]);
    expect(await groupsOf(usage.data, "model", borealis, ["atlas"])).toEqual([[]]);
    // On the first day, whose sums are in those of all the days before the last one.
    await usage.data.append([step(8, { ts: noon - 4 * dayMicros })]);
    expect((await groupsOf(usage.data, "model")).at(-1)).toEqual(["m 15"]);
    expect(await usage.data.groupDays(manyProjects, { ...tenYears, by: "model" })).toBeNull();
  });

  test("are read again after a repair by another process", async () => {
    await using usage = await openUsage();
    const other = await usage.openOther();
    expect(await costOf(other)).toBe(3);
    await rowsOf(usage.url, "update usage set cost_equiv = 100 where project = 'atlas'");
    expect(await costOf(usage.data)).toBe(102);
    await other.rebuildDerivedRows(["usage"]);
    expect(await costOf(usage.data)).toBe(3);
    await other.close();
  });

  test("are those of a range whose projects have rested since, until they work again", async () => {
    await using usage = await openUsage();
    const later = { from: "2026-03-02", to: "2026-03-03" };
    expect(await costOf(usage.data, later)).toBe(0);
    await usage.data.append([step(4, { ts: noon + dayMicros })]);
    expect(await costOf(usage.data, later)).toBe(4);
    expect(await costOf(usage.data)).toBe(3);
  });

  test("are those of the events when reads and appends run concurrently", async () => {
    await using usage = await openUsage();
    const other = await usage.openOther();
    const people = { person: "dana", team: "platform" };
    for (let turn = 0; turn < 6; turn++) {
      const at = { ts: noon - (turn % 4) * dayMicros, lane: `lane_${turn % 2}`, ...(turn % 2 && people) };
      await Promise.all([
        reportOf(usage.data),
        usage.data.append([step(1, at)]),
        costOf(usage.data, { from: "2026-02-26" }),
        other.append([step(2, { ...at, project: "borealis", actor: "agent:b" })]),
        reportOf(usage.data),
      ]);
    }
    const fresh = await usage.openOther();
    expect(await reportOf(usage.data)).toEqual(await reportOf(fresh));
    expect(await costOf(fresh)).toBe(3 + 6 * 3);
    await Promise.all([other.close(), fresh.close()]);
  });

  test("of more days than a process remembers are summed in the database", async () => {
    await using usage = await openUsage();
    for (const by of groups)
      expect(await costOf(usage.data, { ...tenYears, by }, manyProjects)).toBe(
        by === "project" ? 3 : await costOf(usage.data, { by }),
      );
  });

  test("rank tasks and runs as the database does, after each change", async () => {
    await using usage = await openUsage();
    const { data } = usage;
    const run = (cost_equiv: number, more: object = {}) =>
      step(cost_equiv, { run_id: "run-1", issue: 7, ...more });
    const changes = [
      [run(1.25), run(0.5, { issue: 8, run_id: "run-2", project: "borealis", ts: noon - dayMicros })],
      // A run counts on the day on which it started, whenever its last event was.
      [run(2, { ts: noon - 3 * dayMicros, run_id: "run-3", issue: 9 })],
      [run(4, { run_id: "run-3", issue: 9 })],
      [step(3, { pr: 40, issue: null, ts: noon - 2 * dayMicros }), step(0.125, { tokens_in: 7 })],
      // The issue of that pull request is told on another day.
      [event({ kind: "pr.opened", project: "atlas", actor: "human:zoe", pr: 40, issue: 7, ts: noon })],
      // More than are remembered of a project.
      Array.from({ length: 230 }, (_, at) =>
        run((at + 1) / 128, { issue: 100 + at, run_id: `run-of-${at}`, ts: noon - dayMicros }),
      ),
      // Some of the most expensive become cheaper, so that others take their places.
      [329, 328, 327, 326, 325, 324].map((issue) => run(-1.75, { issue, run_id: `run-of-${issue - 100}` })),
      [step(0.25, { pr: 41, issue: null, ts: noon - 2 * dayMicros }), step(0.0625)],
      [event({ kind: "pr.opened", project: "atlas", actor: "human:zoe", pr: 41, issue: 100, ts: noon })],
    ];
    for (const change of changes) {
      await data.append(change);
      const remembered = await expensesOf(data, range);
      expect(remembered).toEqual(await expensesOf(data, tenYears, manyProjects));
      expect(remembered).toEqual(await expensesOf(data, range));
    }
    const { tasks, count, runs } = await expensesOf(data, range);
    expect(tasks.slice(0, 3).map(({ issue, pr, cost_equiv }) => [issue, pr, cost_equiv])).toEqual([
      [9, 0, 6],
      [7, 0, 4.25],
      [0, 0, 2],
    ]);
    expect([count.count, count.unattributed.cost_equiv, runs[0]?.id]).toEqual([235, 3.1875, "run-3"]);
  });
});

test("days that change often do not displace those that rest", () => {
  const cache = new DayCache();
  const rests = { project: "atlas", day: "2026-02-28" };
  const changes = { project: "borealis", day: "2026-03-01" };
  const none = { count: 0, unattributed: noUsage(), top: [] };
  cache.set("task", rests, new Float64Array(1));
  cache.setRange("task", "atlas", "all", none);
  const top = Array.from({ length: 5_000 }, () => ({ ...noUsage(), issue: 1, pr: 0 }));
  for (let derived = 1; derived < 60; derived++) {
    cache.set("task", changes, new Float64Array(100_000));
    cache.setRange("run", "borealis", "all", new Float64Array(100_000));
    cache.setRange("task", "borealis", "all", { ...none, top });
    if (derived % 2 === 0) cache.moveTo({ derived, budgets: 0 }, [changes]);
  }
  expect(cache.daysOf("task", "atlas")?.has(rests.day)).toBe(true);
  expect(cache.rangeOf("task", "atlas", "all")).toBe(none);
  cache.moveTo({ derived: 60, budgets: 0 }, [changes]);
  expect(cache.rangeOf("run", "borealis", "all")).toBeUndefined();
  expect(cache.rangeOf("task", "borealis", "all")).toBeUndefined();
});

test("of days that take too much memory, what follows from them is remembered, without the days", () => {
  const cache = new DayCache();
  const none = { count: 0, unattributed: noUsage(), top: [] };
  cache.setRange("task", "atlas", "all", none);
  cache.setRange("taskBefore", "atlas", "2026-02-01 2026-02-28", { ...none, issues: new Map() });
  for (let project = 0; project < 10; project++)
    cache.set("task", { project: `p${project}`, day: "2026-02-28" }, new Float64Array(500_000));
  expect(cache.rangeOf("task", "atlas", "all")).toBe(none);
  expect(cache.rangeOf("taskBefore", "atlas", "2026-02-01 2026-02-28")).toBeUndefined();
  expect(cache.daysOf("task", "p0")).toBeUndefined();
});
