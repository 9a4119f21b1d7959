/** The review of a variant set, on every database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { AssetDetail, AssetList } from "../../../src/library/assets/schema.ts";
import { SetReview } from "../../../src/library/variant-sets/schema.ts";
import { link, must } from "../../support/harness.ts";
import { deployments, type Library, openLibrary } from "../../support/library.ts";
import { plantSet, reviewSet } from "../../support/review/variant-sets.ts";

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, {
      ...{ SVC_GITHUB_TOKEN: "t", SVC_GITHUB_API: "https://github.test" },
    });
    await link(library.ctx.data, "borealis");
  });
  afterAll(async () => {
    expect(await library.ctx.data.findInconsistencies()).toEqual([]);
    await library.close();
  });

  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const current = async () =>
    (await library.ctx.data.currentDecisions("atlas", 1000)).filter(({ source }) => source === "review");
  const newEvents = async (count: number) =>
    (await library.events()).slice(count).map(({ summary }) => summary);
  const list = async (query: string) => (await library.say<AssetList>(`/assets?${query}`)).body;

  test("uploads that name a set belong together, in their project, and a new version stays in the set", async () => {
    const upload = (fields: Record<string, string>) => library.upload({ project: "atlas", ...fields });
    const { body: first } = await upload({ set: "hero image" });
    expect(first.set).toBe("hero image");
    const reserved = await library.presign({ set: "hero image" });
    expect(reserved.body.finalize_body.set).toBe("hero image");
    await library.put(reserved.body, "other words");
    const { body: second } = await library.finalize(reserved.body);
    await upload({ project: "borealis", set: "hero image" });
    await upload({});
    const { body: next } = await upload({ replaces: first.id });
    expect([second.set, next.set]).toEqual(["hero image", "hero image"]);
    const { assets } = await list("project=atlas&set=hero%20image");
    expect(assets.map(({ id }) => id).toSorted()).toEqual([first.id, second.id, next.id].toSorted());
    expect((await list("set=hero%20image&status=pending")).count).toBe(3);
    expect((await list("set=none")).count).toBe(0);
  });

  test("a set of 129 bytes, with a line break, or whose page would have no URL, is refused", async () => {
    for (const set of ["é".repeat(65), "a\nb", "", " ", ".", ".."]) {
      expect((await library.upload({ project: "atlas", set })).status).toBe(400);
      expect((await library.presign({ set })).status).toBe(400);
    }
  });

  test("approves the picked ones and rejects the rest with one note, which is one decision and one event each", async () => {
    const variants = await plantSet(library, "dawn", 12);
    const [first, second, ...rest] = variants;
    const pick = [must(first), must(second)];
    const before = (await library.events()).length;
    const answer = await reviewSet(library, { set: "dawn", pick, reject: rest, note: "Too dark." });
    expect<unknown>([answer.status, answer.body.refused]).toEqual([200, 0]);
    expect(answer.body.reviewed.filter(({ status }) => status === "rejected")).toHaveLength(10);
    expect(await detail(must(first).id)).toMatchObject({ status: "approved", review_note: null });
    expect(await detail(must(rest[3]).id)).toMatchObject({ status: "rejected", review_note: "Too dark." });
    const [decision, ...others] = (await current()).filter(({ text }) => text.includes("dawn"));
    expect(others).toEqual([]);
    expect(decision).toMatchObject({ id: answer.body.decision_id, source: "review", source_ref: "set:dawn" });
    expect(must(decision).text.split("\n")).toEqual([
      'Picked 2 of 12 variants of "dawn" over the others: Too dark.',
      'All: model sdxl-1.0, prompt "a harbor at dawn"',
      `Picked "v1.png", asset ${must(first).id}: seed 1`,
      `Picked "v2.png", asset ${must(second).id}: seed 2`,
      `Not picked: ${[3, 4, 5, 6, 7, 8, 9, 10].map((n) => `"v${n}.png" (seed ${n})`).join(", ")} and 2 more`,
    ]);
    expect(await newEvents(before)).toEqual([
      ...[1, 2].map((n) => `Approved v${n}.png, version 1`),
      ...rest.map(({ title }) => `Rejected ${title}, version 1`),
      'Picked 2 of 12 variants of "dawn" over the others: Too dark.',
    ]);
  });

  test("repeated, it changes nothing; with another note, what is rejected already is refused", async () => {
    const [one, ...rest] = await plantSet(library, "again", 3);
    const given = { set: "again", pick: [must(one)], reject: rest, note: "Flat." };
    const { body } = await reviewSet(library, given);
    const before = (await library.events()).length;
    expect((await reviewSet(library, given)).body).toEqual(body);
    expect((await reviewSet(library, { ...given, note: "Dull." })).body.refused).toBe(2);
    expect(await newEvents(before)).toEqual([]);
  });

  test("a variant that was decided, replaced or moved meanwhile is refused, and the others are reviewed", async () => {
    const variants = await plantSet(library, "meanwhile", 5);
    const [a, b, c, d, e] = variants.map((one) => must(one));
    await library.review(must(b).id, { decision: "approved" });
    const next = await library.plant({}, must(c).id);
    const other = await library.plant({ set: "elsewhere" });
    const { body } = await reviewSet(library, {
      ...{ set: "meanwhile", pick: [must(a)], reject: [must(b), must(c), must(d), other], note: "No." },
    });
    expect(body.refused).toBe(3);
    const errorOf = (id: string) => body.reviewed.find((one) => one.id === id)?.error;
    expect(errorOf(must(a).id)).toBeNull();
    expect(errorOf(must(d).id)).toBeNull();
    expect(errorOf(must(b).id)).toMatchObject({ status: 409, detail: expect.stringContaining("approved") });
    expect(errorOf(must(c).id)).toMatchObject({
      status: 409,
      detail: expect.stringContaining("newer version"),
    });
    expect(errorOf(other.id)).toMatchObject({
      status: 409,
      detail: expect.stringContaining("does not belong"),
    });
    // Not named: the new version of c, and e, stay pending.
    expect([(await detail(next.id)).status, (await detail(must(e).id)).status]).toEqual([
      "pending",
      "pending",
    ]);
    const { text } = must((await current()).find(({ source_ref }) => source_ref === "set:meanwhile"));
    expect(text).toStartWith('Picked 2 of 5 variants of "meanwhile" over the others: No.');
    expect(text).toEndWith('Not picked: "v4.png" (seed 4)');
  });

  test("a variant with annotations has a decision of its own, and approving one later rewrites that of the set", async () => {
    const [a, b, c] = (await plantSet(library, "later", 3)).map((one) => must(one));
    await library.say(`/assets/${must(c).id}/annotations`, { json: { body: "the mast is bent" } });
    await reviewSet(library, { set: "later", pick: [], reject: [must(a), must(b), must(c)], note: "None." });
    const ofSet = async () => (await current()).find(({ source_ref }) => source_ref === "set:later");
    expect((await current()).filter(({ source_ref }) => source_ref === must(c).id)).toMatchObject([
      { text: expect.stringMatching(/^None\.\n1\. .*the mast is bent$/) },
    ]);
    expect(must(await ofSet()).text).toStartWith('Picked none of 3 variants of "later": None.');
    await library.review(must(a).id, { decision: "approved" });
    expect(must(await ofSet()).text).toStartWith('Picked 1 of 3 variants of "later" over the others: None.');
    await library.review(must(b).id, { decision: "approved" });
    await library.review(must(c).id, { decision: "approved" });
    expect(await ofSet()).toBeUndefined();
  });

  test("needs a note to reject, each variant once, a known project, and the scope of a review", async () => {
    const [one, two] = (await plantSet(library, "refused", 2)).map((row) => must(row));
    const status = async (given: Parameters<typeof reviewSet>[1]) => (await reviewSet(library, given)).status;
    expect(await status({ set: "refused", pick: [], reject: [must(one)] })).toBe(400);
    expect(await status({ set: "refused", pick: [], reject: [must(one)], note: "  " })).toBe(400);
    expect(await status({ set: "refused", pick: [must(one)], reject: [must(one)], note: "No." })).toBe(400);
    expect(await status({ project: "nowhere", set: "refused", pick: [must(one)] })).toBe(404);
    const writer = await library.mint(["assets:read", "assets:write"]);
    expect(await status({ set: "refused", pick: [must(one)], token: writer })).toBe(403);
    const limited = await library.mint(["assets:review"], { projects: ["borealis"] });
    expect(await status({ set: "refused", pick: [must(one)], token: limited })).toBe(404);
    expect((await detail(must(two).id)).status).toBe("pending");
    const { body } = await reviewSet(library, { set: "refused", pick: [{ id: "not an id" }] });
    expect([body.reviewed[0]?.error?.status, Value.Check(SetReview, body)]).toEqual([404, true]);
  });
});
