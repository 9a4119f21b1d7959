/** Reviewers at once on two nodes: no verdict is lost, and no quorum spans two files. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openData } from "../../../db/open.ts";
import type { Context } from "../../../src/api/context.ts";
import type { Data } from "../../../src/api/port.ts";
import type { Caller } from "../../../src/core/auth/caller.ts";
import { Problem } from "../../../src/core/problem.ts";
import { addVersion } from "../../../src/library/assets/versions.ts";
import { approvalsOf } from "../../../src/library/verdicts/approvals.ts";
import { reviewAsset } from "../../../src/library/verdicts/review.ts";
import type { RoleCount } from "../../../src/library/verdicts/schema.ts";
import { dialects, must, scaled } from "../../support/harness.ts";
import { assetScopes, type Library, openLibrary } from "../../support/library.ts";
import { reviewersOf } from "../../support/review/reviewers.ts";

const need: RoleCount[] = [
  { role: "design", count: 2 },
  { role: "legal", count: 1 },
];
const maker = "maker";
/** Two more than are needed, of which one made the asset, and one is a share link that another vouches for. */
const people: Caller[] = [
  ...["ana", "ben"].map((name) => reviewer(name, "design")),
  ...["lee", "zoe"].map((name) => reviewer(name, "legal")),
  reviewer(maker, "design"),
  { ...reviewer("share:1", "design"), vouchedBy: "ana" },
];

function reviewer(name: string, reviewRole: string): Caller {
  return { name, reviewRole, scopes: new Set(assetScopes), projects: null, expiresAt: null };
}

const node = fc.integer({ min: 0, max: 1 });
const verdict = fc.record({
  node,
  reviewer: fc.integer({ min: 0, max: people.length - 1 }),
  decision: fc.oneof(
    { weight: 4, arbitrary: fc.constant("approved" as const) },
    { weight: 1, arbitrary: fc.constant("rejected" as const) },
  ),
});
const step = fc.oneof({ weight: 6, arbitrary: verdict }, { weight: 1, arbitrary: fc.record({ node }) });
type Step = (typeof step)["generate"] extends (...args: never[]) => { value: infer T } ? T : never;

describe.each(dialects)("two nodes on one %s", (dialect) => {
  let library: Library;
  let nodes: Context[];
  let second: Data;
  let notes = 0;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    second = await openData(library.url, { now: library.clock.now, log() {} });
    nodes = [library.ctx, { ...library.ctx, data: second }];
  });
  afterAll(async () => {
    expect(await library.ctx.data.findInconsistencies()).toEqual([]);
    await second.close();
    await library.close();
  });

  const newestOf = async (root: string) => must((await library.ctx.data.versions(root)).at(-1));

  async function replace({ data, config }: Context, root: string): Promise<void> {
    const { id: _, ...fields } = await newestOf(root);
    const id = crypto.randomUUID();
    const asset = { ...fields, id, sha256: id, key: id, uploader: maker };
    await data.atomically(async (writes) => {
      const newest = must((await writes.versions(root)).at(-1));
      await addVersion(writes, config, asset, "note.txt", newest.id);
    });
  }

  /** @returns the version that it was accepted for; null if it was refused with a reason */
  async function give(root: string, { node, reviewer, decision }: Extract<Step, { reviewer: number }>) {
    const { id } = await newestOf(root);
    const caller = must(people[reviewer]);
    const input = { id, decision, note: `Note ${++notes}.` }; // not the same again, which adds no event
    try {
      await reviewAsset(must(nodes[node]), input, caller);
      return { id, voter: must(caller.name), decision };
    } catch (error) {
      if (error instanceof Problem && error.status === 409) return null;
      throw error;
    }
  }

  test("lose no verdict, whatever happens at once", async () => {
    const slug = await reviewersOf(library).project(need);
    const run = async (batches: Step[][]) => {
      const { root_id: root } = await library.plant({ project: slug, uploader: maker });
      const accepted: NonNullable<Awaited<ReturnType<typeof give>>>[] = [];
      for (const batch of batches) {
        const given = await Promise.all(
          batch.map((one) =>
            "reviewer" in one ? give(root, one) : replace(must(nodes[one.node]), root).then(() => null),
          ),
        );
        accepted.push(...given.filter((one) => one !== null));
      }
      await check(library.ctx.data, root, accepted);
    };
    const batches = fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 3 });
    await fc.assert(fc.asyncProperty(batches, run), { numRuns: scaled(8, 200) });
  });

  async function check(
    data: Data,
    root: string,
    accepted: readonly { id: string; voter: string; decision: string }[],
  ): Promise<void> {
    for (const asset of await data.versions(root)) {
      const rows = await data.verdicts([asset.id]);
      const own = accepted.filter(({ id }) => id === asset.id);
      expect(new Set(rows.map(({ voter }) => voter))).toEqual(new Set(own.map(({ voter }) => voter)));
      for (const { voter, decision, sha256, principal } of rows) {
        expect(own.filter((one) => one.voter === voter).map((one) => one.decision)).toContain(decision);
        expect(sha256).toBe(asset.sha256);
        if (principal === maker) expect(decision).toBe("rejected");
      }
      const isRejected = rows.some(({ decision }) => decision === "rejected");
      const { missing } = approvalsOf({ need }, rows, asset.sha256);
      const expected = isRejected ? "rejected" : missing.length === 0 ? "approved" : "pending";
      if (asset.status !== "superseded") expect(asset.status).toBe(expected);
      const events = (
        await data.feed(null, { kind: ["asset.reviewed", "review.given"], limit: 1_000 })
      ).filter(({ wire }) => wire.includes(asset.id));
      expect(events).toHaveLength(own.length);
    }
  }
});
