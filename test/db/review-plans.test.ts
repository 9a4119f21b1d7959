/** The query plans of review requests and of waiting for reviews. */
import { describe, expect, test } from "bun:test";
import type { AssetRow } from "../../src/library/rows.ts";
import type { ShareRow } from "../../src/library/shares/rows.ts";
import { newest, type ReadCalls } from "../support/database/large-log.ts";
import { usePlans } from "../support/database/query-plans.ts";
import { dialects } from "../support/harness.ts";

describe.each(dialects)("on %s", (dialect) => {
  const db = usePlans(dialect, async (testData) => {
    await testData.data.atomically(async (writes) => {
      for (const asset of ["a1", "a5", "a9"])
        await writes.saveReviewRequest({
          ...{ asset, project: "busy", sha256: "00", asked_by: "agent:codex", reviewers: ["maria"] },
          ...{ question: null, due_at: newest, created_at: 1, remind_at: newest, reminders: 0 },
          reminded_at: null,
        });
    });
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
    const found = await db.wasted(works);
    expect(found.filter((one) => !byKey.includes(one))).toEqual([]);
    // The first requests of each name are ranges; what they return together is sorted.
    const ofNames: ReadCalls = (reads) =>
      reads.reviewRequests(null, { of: ["maria", "reviewer"], limit: 50 });
    expect((await db.wasted([ofNames])).filter((one) => !byKey.includes(one))).toEqual(
      dialect === "sqlite" ? ["sorts: matches"] : [],
    );
  });

  // Postgres chooses one by its statistics.
  test.if(dialect === "sqlite")(
    "what repeats a rejected file, and what does not, are ranges of their indexes",
    async () => {
      const limits = { projects: 50, count: 100, listed: 4, order: "newest first" } as const;
      const steps = await db.plans.steps((reads) => reads.pendingAssets(null, limits));
      const read = new Set(steps.flatMap((step) => /assets_(?:not_)?repeats \(.*\)/.exec(step) ?? []));
      const range = "(project=? AND set=?)";
      expect([...read].sort()).toEqual([`assets_not_repeats ${range}`, `assets_repeats ${range}`]);
    },
  );

  test("what a new file is compared with is one row, however many have its bytes or its title", async () => {
    const { id, project, title } = (await db.testData.data.asset(null, "a1")) as AssetRow;
    const steps = await db.plans.steps(async (reads) => {
      await reads.lastReview(project, "00");
      await reads.approvedBefore({ id, project, title, kind: "image", version: 1 } as AssetRow);
    });
    for (const index of ["assets_reviewed_file", "assets_approved_title"])
      expect(steps.join("\n")).toContain(index);
  });

  test("share links, their log and the passphrases tried are ranges of indexes", async () => {
    const rows = Array.from({ length: 300 }, (_, index) => shareRow(index));
    await db.testData.data.atomically(async (writes) => {
      for (const row of rows) await writes.addShare(row);
      for (const { id: share } of rows)
        await writes.addShareView({
          ...{ share, slot: "a".repeat(26), at: newest, action: "opened", name: null, network: "unknown" },
          ...{ asset: null, sha256: null },
        });
    });
    const after = { created_at: 200, id: "s200" };
    const works: ReadCalls[] = [
      (reads) => reads.share("s1"),
      (reads) => reads.shareWithHash("hash 1"),
      (reads) => reads.tokenNamed("maria"),
      (reads) => reads.shares(null, { limit: 50, after }),
      (reads) => reads.shares(null, { project: "busy", limit: 50, after }),
      (reads) => reads.shares(null, { of: "a1", limit: 50 }),
      (reads) => reads.shareViews("s1", { limit: 50, after: { at: newest, slot: "b" } }),
      (reads) => reads.shareAttempts("s1", 1, 60),
    ];
    expect(await db.wasted(works)).toEqual([]);
  });
});

const shareRow = (index: number): ShareRow => ({
  ...{ id: `s${index}`, hash: `hash ${index}`, project: "busy", asset: "a1", root_id: `a${index % 9}` },
  ...{ follows: "fixed", rights: "view", annotations: "own", role: null, recipient: "Ana" },
  name_source: "typed" as const,
  ...{ expires_at: newest, passphrase: null },
  ...{ allow_download: false, created_by: "human:maria", creator: "maria", created_at: index },
  ...{ revoked_at: null, revoked_by: null, reviewer: null, views: 0 },
  ...{ subject: "asset", set: null, kind: null, tag: null },
});
