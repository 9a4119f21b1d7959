/** The query plans of webhooks: each read is a range of an index, whatever the size of the log. */
import { describe, expect, test } from "bun:test";
import { newest, type ReadCalls } from "../support/database/large-log.ts";
import { usePlans } from "../support/database/query-plans.ts";
import { dialects } from "../support/harness.ts";

describe.each(dialects)("on %s", (dialect) => {
  const db = usePlans(dialect);

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
    expect(await db.wasted(works)).toEqual([]);
    const [first] = await db.testData.data.eventsById(20_000, 1);
    expect(first).toMatchObject({ id: 20_001, kind: expect.any(String) });
  });
});
