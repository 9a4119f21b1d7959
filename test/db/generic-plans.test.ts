/** Query plans that Postgres makes by the statistics of a log, once for all values. */
import { expect, test } from "bun:test";
import { PgDialect } from "drizzle-orm/pg-core";
import { countedProjects } from "../../db/maintenance/consistency-checks.ts";
import { toMicros } from "../../src/core/lib/time.ts";
import { openGenericPlans } from "../support/database/query-plans.ts";
import { event, link, openTestData, rowsOf } from "../support/harness.ts";

test("a page with a filter is read by the index of the filter, in its year alone", async () => {
  await using opened = await openTestData("partitioned postgres");
  for (const year of [2024, 2025]) {
    const begin = toMicros(`${year}-01-01T00:00:00Z`);
    await opened.data.atomically((writes) => writes.append([event({ ts: begin })]));
    await rowsOf(
      opened.url,
      `insert into events (ts, id, kind, actor, project, lane, wire)
        select ${begin} + n * 1000000::bigint, ${year} * 100000 + n, 'kind ' || n % 3, 'agent:' || n % 5,
          'project-' || n % 2, 'lane_' || n % 4, repeat('x', 500)
        from generate_series(1, 20000) as n`,
    );
  }
  await rowsOf(opened.url, "analyze events");
  const plans = openGenericPlans(opened.url, true);
  await plans.steps((reads) => reads.feed(null, { limit: 1 })); // it learns which year is the newest
  const before = toMicros("2024-01-01T05:00:00Z");
  const filters = { project: "project-1", kind: "kind 2", actor: "agent:3", lane: "lane_0" };
  const found: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(filters)) {
    const steps = await plans.steps((reads) => reads.feed(null, { [name]: value, before, limit: 50 }));
    found[name] = steps.flatMap((step) => / (?:using|on) (events_\w+)/.exec(step)?.[1] ?? []);
  }
  await plans.close();
  expect(found).toEqual({
    project: ["events_2024_project_ts_idx"],
    kind: ["events_2024_kind_ts_idx"],
    actor: ["events_2024_actor_ts_idx"],
    lane: ["events_2024_lane_ts_idx"],
  });
});

test("the runs of a task are found by its number and project at once, however many the project has", async () => {
  await using opened = await openTestData("postgres");
  await link(opened.data, "project-1");
  const first = event({ kind: "run.started", project: "project-1", run_id: "first" });
  await opened.data.atomically((writes) => writes.append([first]));
  await rowsOf(
    opened.url,
    `insert into runs select more.* from runs, generate_series(1, 20000) as n,
      jsonb_populate_record(runs, jsonb_build_object('id', 'run-' || n, 'project', 'project-' || n % 4,
        'issue', n % 999, 'listed_at', n, 'summary', repeat('x', 900))) as more`,
  );
  await rowsOf(opened.url, "analyze runs");
  const plans = openGenericPlans(opened.url, false);
  const tasks = [7, 8].map((issue) => ({ project: "project-1", issue, pr: null }));
  const steps = await plans.steps((reads) => reads.taskRows(tasks, 0));
  await plans.close();
  const found = steps
    .filter((step) => /runs_(issue|project)|BitmapAnd/.test(step))
    .map((step) => step.trim());
  expect(found).toEqual([expect.stringMatching(/^-> {2}Index Scan using runs_issue on runs/)]);
});

test("svc doctor reads the log once for the counters of all projects", async () => {
  await using opened = await openTestData("partitioned postgres");
  const { sql } = new PgDialect().sqlToQuery(countedProjects);
  const steps = await rowsOf(opened.url, `explain (costs off) ${sql}`);
  const text = steps.map((row) => row["QUERY PLAN"]).join("\n");
  expect(text.match(/on events_past/g)).toHaveLength(1);
  expect(text).not.toContain("SubPlan");
});
