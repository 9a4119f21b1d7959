/** The query plans of verdicts, review policies and checklists. */
import { describe, expect, test } from "bun:test";
import type { ReadCalls } from "../support/database/large-log.ts";
import { usePlans } from "../support/database/query-plans.ts";
import { dialects } from "../support/harness.ts";

describe.each(dialects)("on %s", (dialect) => {
  const db = usePlans(dialect, async (testData) => {
    const set = { changed_by: "human:mara", changed_at: 1, kind: "image" } as const;
    await testData.data.atomically(async (writes) => {
      for (let n = 0; n < 300; n++) {
        const project = `p${n}`;
        for (const voter of ["ana", "ben", `v${n}`])
          await writes.saveVerdict({
            ...{ asset: `x${n}`, voter, principal: voter, project, sha256: "00", reviewer: voter, at: n },
            ...{ role: "design", decision: "approved", note: null, checklist: null },
          });
        if (n > 20) await writes.setVerdictsOpen(`x${n}`, false);
        await writes.saveReviewPolicy({ ...set, project, need: [{ role: "design", count: 1 }] });
        await writes.addChecklist({ ...set, project, version: 1, items: [] });
      }
    });
  });

  test("verdicts of versions, open approvals, policies and checklists are ranges of indexes", async () => {
    const works: ReadCalls[] = [
      (reads) => reads.openApprovals("ana", 1_000),
      (reads) => reads.reviewPolicy("p7", "image"),
      (reads) => reads.reviewPolicies(["p7", "p9"], 12),
      (reads) => reads.checklist("p7", "image"),
      (reads) => reads.checklist("p7", "image", 1),
    ];
    expect((await db.wasted(works)).filter((one) => one !== "filters rows: verdicts")).toEqual([]);
    // A few verdicts of each version, sorted by time.
    const sorted = await db.wasted([(reads) => reads.verdicts(["x1", "x2"])]);
    expect(sorted.filter((one) => !one.startsWith("sorts"))).toEqual([]);
  });
});
