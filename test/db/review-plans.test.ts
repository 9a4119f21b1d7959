/** The query plans of review requests and of waiting for reviews. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dialects, type TestData } from "../support/harness.ts";
import { newest, openLargeLog, type ReadCalls } from "../support/large-log.ts";
import { openPlans, type Plans, wastedSteps } from "../support/query-plans.ts";

describe.each(dialects)("on %s", (dialect) => {
  let testData: TestData;
  let plans: Plans;
  beforeAll(async () => {
    testData = await openLargeLog(dialect);
    plans = openPlans(dialect, testData.url);
    await testData.data.atomically(async (writes) => {
      for (const asset of ["a1", "a5", "a9"])
        await writes.saveReviewRequest({
          ...{ asset, project: "busy", sha256: "00", asked_by: "agent:codex", reviewers: ["maria"] },
          ...{ question: null, due_at: newest, created_at: 1, remind_at: newest, reminders: 0 },
          reminded_at: null,
        });
    });
  });
  afterAll(async () => {
    await plans.close();
    await testData.close();
  });

  test("requests, reminders and the reviews that are waited for are ranges of indexes", async () => {
    const works: ReadCalls[] = [
      (reads) => reads.reviewRequest("a1"),
      (reads) => reads.reviewStates(null, ["a1", "a2", "a5"]),
      (reads) => reads.reviewStates(["busy", "quiet"], ["a1", "a2", "a5"]),
      (reads) => reads.dueReviewReminders(newest, 20),
      (reads) => reads.reviewRequests(null, { limit: 50 }),
      (reads) => reads.reviewRequests(null, { dueBefore: newest + 1, limit: 10 }),
    ];
    // Each is one row by its key: of an asset that is not pending any more, and of a retired decision.
    const byKey = ["filters rows: assets", "filters rows: decisions"];
    const found = await wastedSteps(plans, works);
    expect(found.filter((one) => !byKey.includes(one))).toEqual([]);
    // The first requests of each name are ranges; what they return together is sorted.
    const ofNames: ReadCalls = (reads) =>
      reads.reviewRequests(null, { of: ["maria", "reviewer"], limit: 50 });
    expect((await wastedSteps(plans, [ofNames])).filter((one) => !byKey.includes(one))).toEqual(
      dialect === "sqlite" ? ["sorts: matches"] : [],
    );
  });
});
