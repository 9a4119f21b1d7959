/** Reviews under a policy: who counts, who may not approve, and when an asset is approved. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../../../src/core/auth/caller.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { reviewAsset } from "../../../src/library/verdicts/review.ts";
import { dialects } from "../../support/harness.ts";
import { assetScopes, type Library, openLibrary } from "../../support/library.ts";
import { type Reviewers, reviewersOf } from "../../support/review/reviewers.ts";

const approved = { decision: "approved" };
const rejected = { decision: "rejected", note: "Too dark." };
const two = [
  { role: "design", count: 1 },
  { role: "legal", count: 1 },
];

describe.each(dialects)("a review policy on %s", (dialect) => {
  let library: Library;
  let reviewers: Reviewers;
  let project = "";
  let ana = { token: "", name: "" };
  let lee = { token: "", name: "" };
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    reviewers = reviewersOf(library);
    project = await reviewers.project(two);
    [ana, lee] = [await reviewers.reviewer("design"), await reviewers.reviewer("legal")];
  });
  afterAll(async () => {
    expect(await library.ctx.data.findInconsistencies()).toEqual([]);
    await library.close();
  });

  const plant = async (fields: object = {}, replaces?: string) => {
    library.clock.advance(secondMicros);
    return (await library.plant({ project, created_by: "agent:codex", ...fields }, replaces)).id;
  };
  const review = (id: string, { token }: { token: string }, values: object = approved) =>
    reviewers.review(id, token, { ...values });
  const decisionsOn = async (id: string) =>
    (await library.ctx.data.currentDecisions(project, 1_000)).filter(({ source_ref }) => source_ref === id);
  const kindsOf = async (id: string) =>
    (await library.ctx.data.feed(null, { project, limit: 100 }))
      .map(({ wire }) => JSON.parse(wire))
      .filter(({ url }) => url?.endsWith(id))
      .map(({ kind, summary }) => `${kind}: ${summary.replace(/[\u2066-\u2069]/g, "")}`);

  test("keeps an asset pending until each role has approved, and tells what is missing", async () => {
    const id = await plant({ title: "Map" });
    expect(await reviewers.detail(id)).toMatchObject({
      approvals: { have: 0, need: 2, missing: two },
      verdicts: [],
    });
    for (const _ of ["sent", "sent again"])
      expect((await review(id, ana)).body).toMatchObject({ status: "pending", reviewed_by: null });
    expect(await reviewers.detail(id)).toMatchObject({
      ...{ status: "pending", approvals: { have: 1, need: 2, missing: [{ role: "legal", count: 1 }] } },
      verdicts: [{ asset_id: id, reviewer: `token:${ana.name}`, role: "design", decision: "approved" }],
    });
    expect((await review(id, lee)).body).toMatchObject({
      ...{ status: "approved", reviewed_by: `token:${lee.name}` },
    });
    expect((await reviewers.detail(id)).approvals).toEqual({ have: 2, need: 2, missing: [] });
    expect(await kindsOf(id)).toEqual([
      "asset.reviewed: Approved Map, version 1",
      "review.given: Approved Map, version 1: waiting for 1 more: legal",
      "asset.uploaded: Uploaded Map, version 1",
    ]);
  });

  test("counts a reviewer once, whatever name they give, and takes their last verdict", async () => {
    const id = await plant();
    for (const by of ["human:ana", "human:lee", "human:zoe"])
      expect((await review(id, ana, { ...approved, by })).body.status).toBe("pending");
    const { verdicts } = await reviewers.detail(id);
    expect(verdicts.map(({ reviewer }) => reviewer)).toEqual(["human:zoe"]);
    expect((await review(id, ana, rejected)).body.status).toBe("rejected");
    expect((await reviewers.detail(id)).verdicts).toMatchObject([
      { decision: "rejected", note: "Too dark." },
    ]);
  });

  test("rejects with one rejection, which only its reviewer takes back", async () => {
    const id = await plant();
    await review(id, ana);
    expect((await review(id, lee, rejected)).body.status).toBe("rejected");
    expect(await decisionsOn(id)).toHaveLength(1);
    const zoe = await reviewers.reviewer("legal");
    expect(await review(id, zoe)).toMatchObject({
      ...{
        status: 409,
        body: { detail: expect.stringContaining(`token:${lee.name} rejected this version`) },
      },
    });
    expect((await review(id, lee)).body).toMatchObject({ status: "approved", expires_at: null });
    expect(await decisionsOn(id)).toEqual([]);
  });

  test("waits again once a rejection is taken back and approvals are missing", async () => {
    const id = await plant();
    await review(id, lee, rejected);
    expect((await review(id, lee)).body).toMatchObject({
      ...{ status: "pending", reviewed_by: null, reviewed_at: null, review_note: null, expires_at: null },
    });
    expect(await decisionsOn(id)).toEqual([]);
    expect((await review(id, ana)).body.status).toBe("approved");
  });

  test("does not let the author of a version approve it, by name or by token", async () => {
    const made = [
      await plant({ created_by: `token:${ana.name}` }),
      await plant({ created_by: `human:${ana.name}` }),
      await plant({ uploader: ana.name }),
    ];
    for (const id of made) {
      expect(await review(id, ana)).toMatchObject({
        ...{ status: 409, body: { detail: expect.stringContaining("You made this version") } },
      });
      expect((await review(id, lee)).body.status).toBe("pending");
    }
    expect((await review(made[0] as string, ana, rejected)).body.status).toBe("rejected");
    const upload = await library.upload({ project, by: "agent:codex" });
    expect((await review(upload.body.id, { token: library.token })).status).toBe(409);
  });

  test("counts a share link and its creator as one reviewer", async () => {
    const id = await plant();
    const link: Caller = {
      ...{ name: "share:1", actor: "human:Client", scopes: new Set(assetScopes), projects: null },
      ...{ expiresAt: null, reviewRole: "legal", vouchedBy: ana.name },
    };
    await review(id, ana);
    const asset = await reviewAsset(library.ctx, { id, decision: "approved" }, link);
    expect(asset.status).toBe("pending");
    const own = await plant({ uploader: ana.name });
    expect(reviewAsset(library.ctx, { id: own, decision: "approved" }, link)).rejects.toThrow("You made");
  });

  test("starts empty for a replacement, which says that the same file was approved", async () => {
    const first = await plant();
    await review(first, ana);
    await review(first, lee);
    const second = await plant({}, first);
    expect(await reviewers.detail(second)).toMatchObject({
      ...{ status: "pending", approvals: { have: 0 }, verdicts: [] },
      approved_as: { id: first, version: 1 },
    });
    const third = await plant({ sha256: "1".repeat(64) }, second);
    expect((await reviewers.detail(third)).approved_as).toBeNull();
    expect((await review(first, ana)).status).toBe(409);
  });

  test("keeps the notes of all who approved", async () => {
    const id = await plant();
    await review(id, ana, { ...approved, note: "Calm colors." });
    await review(id, lee, { ...approved, note: "Rights are cleared." });
    const { body } = await library.say<{ results: { text: string }[] }>(
      `/recall?query=colors+cleared&project=${project}`,
      { token: await library.mint(["memory:read"]) },
    );
    expect(JSON.stringify(body)).toContain("Calm colors.");
    expect(JSON.stringify(body)).toContain("Rights are cleared.");
  });

  test("counts the role of a token without a label: reviewer or admin", async () => {
    const own = await reviewers.project([{ role: "admin", count: 1 }]);
    const { id } = await library.plant({ project: own });
    expect((await review(id, ana)).body.status).toBe("pending");
    const token = await library.mint(allScopes);
    expect((await review(id, { token })).body.status).toBe("approved");
  });

  test("is set and removed with the scope reviews:write alone, and applies from the next review", async () => {
    const own = await reviewers.project();
    const { id } = await library.plant({ project: own });
    const path = `/projects/${own}/review-policies/file`;
    const set = async (need: object[], token: string) =>
      library.say<{ changed: boolean }>(path, { method: "PUT", json: { need }, token });
    expect((await set(two, await library.mint(assetScopes))).status).toBe(403);
    const admin = await library.mint(allScopes);
    expect((await set([...two, { role: "legal", count: 2 }], admin)).body.detail).toContain('"legal"');
    expect((await set(two, admin)).body.changed).toBe(true);
    expect((await set(two, admin)).body.changed).toBe(false);
    expect((await review(id, ana)).body.status).toBe("pending");
    expect((await set([], admin)).body.changed).toBe(true);
    expect((await reviewers.detail(id)).approvals).toBeNull();
    expect((await review(id, ana)).body.status).toBe("approved");
  });
});
