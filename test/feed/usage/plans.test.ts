/** The query plans of usage: ranges of indexes, however long the log is. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Reads } from "../../../src/api/port.ts";
import { toMicros } from "../../../src/core/lib/time.ts";
import { openLargeLog } from "../../support/database/large-log.ts";
import { openPlans, type Plans } from "../../support/database/query-plans.ts";
import { dialects, rowsOf, type TestData } from "../../support/harness.ts";

const at = toMicros("2026-05-01T12:00:00Z");
const range = { from: "2026-05-01", to: "2026-05-14" };

/** Rejects every fiftieth asset, on the first day of the range, between many other decisions. */
async function rejectAssets(url: string): Promise<void> {
  const columns = "project, text, source, source_ref, actor, valid_from";
  await rowsOf(
    url,
    `insert into decisions (${columns}) select project, 'Darker water', 'review', id, 'human:zoe', ${at} + created_at
      from assets where created_at % 50 = 0`,
  );
  await rowsOf(
    url,
    `insert into decisions (${columns}) select project, 'Use globes', 'cli', id, 'human:zoe', ${at} + created_at
      from assets where created_at % 50 <> 0`,
  );
  await rowsOf(url, `update assets set reviewed_at = ${at} + created_at where created_at % 50 = 0`);
}

/** A run for each event. */
const addRuns = (url: string) =>
  rowsOf(
    url,
    `insert into runs (id, project, issue, pr, actor, models, status, started_at, last_event_at, listed_at, steps, tokens_in,
        tokens_out, cache_read, cache_write, cost_equiv, summary, assets, decisions, marks)
      select 'run ' || id, project, issue, pr, actor, '[]', 'finished', ts, ts, ts, 1, 1, 1, 1, 1, id, 'Run', 0, 0, '{}'
        from events`,
  );

describe.each(dialects)("the reads of usage on %s", (dialect) => {
  let testData: TestData;
  let plans: Plans;
  beforeAll(async () => {
    testData = await openLargeLog(dialect);
    await testData.data.rebuildDerivedRows(["usage"]);
    await rejectAssets(testData.url);
    await addRuns(testData.url);
    await rowsOf(
      testData.url,
      "insert into pull_request_issues (project, pr, issue, rank) select 'busy', pr, pr, min(ts) from events where pr is not null group by pr",
    );
    if (dialect === "postgres") await rowsOf(testData.url, "analyze");
    plans = openPlans(dialect, testData.url);
  });
  afterAll(async () => {
    await plans.close();
    await testData.close();
  });

  /** The tables that a plan reads whole or filters; sorting the groups and lists of a range is expected. */
  const wasted = async (read: (reads: Reads) => Promise<unknown>) => [
    ...new Set(
      (await plans.wasted(read))
        .filter(({ what }) => what !== "sorts")
        .map(({ of, what }) => `${what}: ${of}`),
    ),
  ];

  test.each(["project", "model", "lane", "actor", "task"] as const)(
    "by %s read the days of a range",
    async (by) => {
      for (const perDay of [false, true]) {
        expect(
          await wasted((reads) => reads.groupUsage(["busy", "quiet"], { ...range, by, perDay })),
        ).toEqual([]);
        expect(await wasted((reads) => reads.groupUsage(null, { ...range, by, perDay }))).toEqual([]);
      }
    },
  );

  test("of the days of a budget read the days of a range", async () => {
    const scope = { project: null, team: null, person: null, lane: null, model: null };
    const ofOne = { ...scope, project: "busy", lane: "lane_a", model: "m" };
    expect(await wasted((reads) => reads.costByDay(ofOne, range))).toEqual([]);
    const ofPerson = { ...scope, project: "busy", team: "maps", person: "dana" };
    expect(await wasted((reads) => reads.costByDay(ofPerson, range))).toEqual([]);
    expect(await wasted((reads) => reads.costByDay(scope, range))).toEqual(["full scan: projects"]);
  });

  test("of the most expensive runs read the first of each project and day", async () => {
    const read = (limit: number) => (reads: Reads) =>
      reads.expensiveRuns(["busy", "quiet"], { ...range, limit });
    for (const limit of [10, 100]) {
      const fresh = read(limit);
      if (dialect === "sqlite")
        expect((await plans.steps(fresh)).join("\n")).toContain("runs_cost (project=? AND <expr>=?)");
      else expect(await wasted(fresh)).toEqual([]);
    }
    expect(await wasted(read(100))).toEqual([]);
  });

  test("of the most expensive tasks read the days of a range", async () => {
    const query = { ...range, limit: 10 };
    const read = (projects: string[] | null) => wasted((reads) => reads.expensiveTasks(projects, query));
    expect(await read(["busy", "quiet"])).toEqual([]);
    expect(await read(null)).toEqual([]);
    // In the database, as of too many days for a process to remember.
    const century = { ...query, from: "1926-05-01" };
    expect(await wasted((reads) => reads.expensiveTasks(["busy", "quiet"], century))).toEqual([]);
  });

  test("of rejected work read the rejections of a range, and the runs of their tasks", async () => {
    const read = (reads: Reads) => reads.rejectedVersions(["busy", "quiet"], range);
    expect((await read(testData.data)).length).toBeGreaterThan(50);
    // The review of the one asset that a decision names, the runs of one task or one id, and the rejections
    // that are of a set.
    const ofOne = /^filters rows: (a|r|assets|runs|decisions)$/;
    expect((await wasted(read)).filter((waste) => !ofOne.test(waste))).toEqual([]);
  });

  test("of confirmed musts read those of the range in each project", async () => {
    expect(await wasted((reads) => reads.confirmedMusts(["busy", "quiet"], range))).toEqual([]);
  });
});
