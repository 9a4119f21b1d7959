/** The query plans of pages of a log with partitions. */
import { expect, test } from "bun:test";
import { toMicros } from "../../src/core/lib/time.ts";
import { openGenericPlans } from "../support/database/query-plans.ts";
import { event, openTestData, rowsOf } from "../support/harness.ts";

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
  const plans = openGenericPlans(opened.url);
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
