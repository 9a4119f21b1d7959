/** The query plans of the grouped feed, of a run's events, and of a task: no read grows with the log. */
import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/core/config.ts";
import { type GroupedQuery, groupedPage } from "../../src/feed/grouped.ts";
import type { RunRow } from "../../src/feed/rows.ts";
import { newest, type ReadCalls, silent } from "../support/database/large-log.ts";
import { usePlans } from "../support/database/query-plans.ts";
import { dialects, must, rowsOf } from "../support/harness.ts";

const config = readConfig({});
const runCount = 5_000;

describe.each(dialects)("on %s", (dialect) => {
  let run: RunRow;
  const db = usePlans(dialect, async (testData) => {
    const numbers =
      dialect === "sqlite"
        ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${runCount - 1})`
        : `with numbers as (select generate_series(0::bigint, ${runCount - 1}) as n)`;
    await rowsOf(
      testData.url,
      `insert into runs (id, project, issue, pr, actor, models, lane, status, started_at, last_event_at, listed_at, steps,
        tokens_in, tokens_out, cache_read, cache_write, cost_equiv, summary, assets, decisions, rule_key, marks)
       ${numbers} select 'run ' || n, case n % 3 when 0 then 'quiet' else 'busy' end, n % 900, n % 700,
        'agent:' || (n % 90), '[]', 'lane_a', 'finished', ${newest} - (${runCount} - n) * 12000000000,
        ${newest} - (${runCount} - n) * 12000000000 + 7, ${newest} - (${runCount} - n) * 12000000000 + 7, 1, 0, 0, 0, 0, 0, 'A run', 0, 0,
        case n % 2 when 0 then 'agent:' || (n % 90) || ' -' end, '{}' from numbers`,
    );
    await rowsOf(
      testData.url,
      `insert into pull_request_issues (project, pr, issue, rank) ${numbers} select 'busy', n, n + 1000, n from numbers`,
    );
    if (dialect === "postgres") await rowsOf(testData.url, "analyze");
    run = must((await testData.data.runs(null, { limit: 1 })).runs[0]);
  });

  /** The distinct wasteful steps of these reads, apart from those that are bounded. */
  const wasted = async (works: ReadCalls[], bounded: readonly string[] = []): Promise<string[]> =>
    (await db.wasted(works)).filter((one) => !bounded.includes(one));

  test("a page of the grouped feed reads ranges of indexes and a bounded number of events", async () => {
    const filters: Omit<GroupedQuery, "limit">[] = [
      {},
      { project: silent.project },
      { actor: silent.actor },
      { project: silent.project, actor: silent.actor },
      { project: ["busy", "quiet"], lane: "lane_a" },
      { issue: 60 },
    ];
    const works = [null, ["busy", "quiet"]].flatMap((projects) =>
      filters.flatMap((filter) =>
        [{}, { before: newest - 86_400_000_000 }, { after: newest - 86_400_000_000 }].map(
          (bounds): ReadCalls =>
            (data) =>
              groupedPage({ data, config }, { ...filter, ...bounds, limit: 50 }, { projects }),
        ),
      ),
    );
    // As on the other pages with several filters: the facets that match are merged, or the next events are
    // scanned first; a range of runs is checked for the other filters.
    const bounded = [
      ...["sorts: matches", "filters rows: facets", "filters rows: events", "full scan: events"],
      "filters rows: runs",
    ];
    expect(await wasted(works, bounded)).toEqual([]);
  });

  test("the events of a run, newest first, and which events are in runs", async () => {
    const list = [{ project: run.project, rule_key: "agent:3 -", ts: newest }];
    expect(
      await wasted(
        [
          (reads) => reads.runEvents({ ...run, rule_key: null }, { order: "newest first", limit: 3 }),
          (reads) => reads.eventsInRuns(list),
        ],
        ["sorts: matches", "filters rows: events"],
      ),
    ).toEqual([]);
  });

  test("a task finds its rejections and briefs by indexes", async () => {
    const works: ReadCalls[] = [
      (reads) => reads.rejectionDecisions("busy", [{ id: "a1", set: null, reviewed_at: newest }]),
      (reads) => reads.briefsOfRuns("busy", ["run 1", "run 2"], 500),
    ];
    // Decisions of one microsecond, of any project; the briefs of these runs.
    expect(await wasted(works, ["filters rows: decisions", "sorts: matches"])).toEqual([]);
  });

  test("the tasks of a page find their runs, versions and openings by indexes", async () => {
    const tasks = [
      { project: "busy", issue: 1_061, pr: null },
      { project: "busy", issue: null, pr: 61 },
    ];
    // A task of another project can have the same number.
    const bounded = ["runs", "assets", "events"].map((table) => `filters rows: ${table}`);
    expect(await wasted([(reads) => reads.taskRows(tasks, 0)], [...bounded, "sorts: matches"])).toEqual([]);
  });
});
