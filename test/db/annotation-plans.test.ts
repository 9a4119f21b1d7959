/** The query plans of annotations. */
import { describe, expect, test } from "bun:test";
import { ulid } from "ulid";
import type { AnnotationRow } from "../../src/library/annotations/rows.ts";
import type { ReadCalls } from "../support/database/large-log.ts";
import { usePlans } from "../support/database/query-plans.ts";
import { dialects } from "../support/harness.ts";

const row = (n: number, more: Partial<AnnotationRow>): AnnotationRow => ({
  ...{
    id: ulid(),
    project: "busy",
    chain: "a1",
    asset_id: "a1",
    version: 1,
    sha256: "00",
    n,
    parent_id: null,
  },
  ...{ body: "Too dark", weight: "must", by: "human:ana", reader: "ana", origin: "api", created_at: 1 },
  ...{
    state: "open",
    state_by: null,
    state_at: null,
    addressed_in: null,
    reopened: 0,
    honoured_version: null,
  },
  ...{ urgent_at: null, target: null, ...more },
});

describe.each(dialects)("on %s", (dialect) => {
  const db = usePlans(dialect, async (testData) => {
    await testData.data.atomically(async (writes) => {
      for (const n of [1, 2, 3]) await writes.addAnnotation(row(n, { urgent_at: n, reopened: 1 }));
      await writes.addAnnotation(row(4, { state: "honoured", honoured_version: 2, state_at: 1 }));
      await writes.addAnnotation(row(1, { parent_id: "one" }));
    });
  });

  test("lists, open annotations and those of briefs are ranges of indexes", async () => {
    const after = { rank: 0, n: 1, id: ulid() };
    const works: ReadCalls[] = [
      (reads) => reads.annotation(null, "one"),
      (reads) => reads.unsettledAnnotations("a1", { limit: 50 }),
      (reads) => reads.unsettledAnnotations("a1", { limit: 50, after }),
      (reads) => reads.countUnsettled("a1"),
      (reads) => reads.urgentAnnotations("busy", 50),
    ];
    expect(await db.wasted(works)).toEqual([]);
    // Ranges in order, less the drafts of others: at most 1,000 rows of a version.
    const lists: ReadCalls[] = [
      (reads) => reads.annotations({ asset_id: "a1" }, "ana", { limit: 50 }),
      (reads) => reads.annotations({ asset_id: "a1" }, "ana", { limit: 50, after }),
      (reads) => reads.annotations({ chain: "a1" }, null, { limit: 50, after }),
      (reads) => reads.annotationByNumber("a1", 2),
      (reads) => reads.retiredAnnotations(["a1", "a5"], 1000),
    ];
    expect((await db.wasted(lists)).filter((one) => one !== "filters rows: annotations")).toEqual([]);
    // The replies of a page are sorted together.
    const replies: ReadCalls = (reads) => reads.annotationReplies(["one", "two"], 200);
    expect((await db.wasted([replies])).filter((one) => one !== "filters rows: annotations")).toEqual([
      "sorts: matches",
    ]);
  });
});
