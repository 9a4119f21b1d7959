/** The query plans of webhooks: each read is a range of an index, whatever the size of the log. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newest, openLargeLog, type ReadCalls } from "../support/database/large-log.ts";
import { openPlans, type Plans, wastedSteps } from "../support/database/query-plans.ts";
import { dialects, type TestData } from "../support/harness.ts";

describe.each(dialects)("on %s", (dialect) => {
  let testData: TestData;
  let plans: Plans;
  beforeAll(async () => {
    testData = await openLargeLog(dialect);
    plans = openPlans(dialect, testData.url);
  });
  afterAll(async () => {
    await plans.close();
    await testData.close();
  });

  test("the log and the deliveries are read by index", async () => {
    const works: ReadCalls[] = [
      (reads) => reads.eventsById(20_000, 500),
      (reads) => reads.newestEventId(),
      (reads) => reads.firstEventSince(newest - 5_000_000_000),
      (reads) => reads.webhook("w1"),
      (reads) => reads.delivery(7),
      (reads) => reads.deliveries("w1", { limit: 50 }),
      (reads) => reads.deliveries("w1", { limit: 50, before: 100, outcome: "failed" }),
      (reads) => reads.lastDeliveries(["w1", "w2"]),
    ];
    expect(await wastedSteps(plans, works)).toEqual([]);
    const [first] = await testData.data.eventsById(20_000, 1);
    expect(first).toMatchObject({ id: 20_001, kind: expect.any(String) });
  });
});
