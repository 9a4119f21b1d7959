/** Reviews, one at a time and concurrent ones, on every database with every kind of store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromMicros, secondMicros } from "../../../src/core/lib/time.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import type { Decision } from "../../../src/memory/schema.ts";
import { link, must } from "../../support/harness.ts";
import { deployments, type Library, openLibrary } from "../../support/library.ts";

const unknown = "01KJMMA2G04TRJQTGZ9SY6NSVZ";
const days = 86_400 * secondMicros;

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, { SVC_RETENTION_DAYS: "7" });
    await link(library.ctx.data, "borealis");
  });
  afterAll(() => library.close());

  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const decisions = async (id: string): Promise<Decision[]> =>
    (await library.ctx.data.currentDecisions("atlas", 1000)).filter(
      (one) => one.source_ref === id,
    ) as unknown as Decision[];
  const eventsSince = async (count: number) => (await library.events()).slice(count);

  describe("a review", () => {
    test("approves: the asset and the feed show who, when and the note", async () => {
      const { id, title } = await library.plant({ issue: 12, pr: 34 });
      const before = (await library.events()).length;
      library.clock.advance(secondMicros);
      const { status, body } = await library.review(id, {
        decision: "approved",
        note: "Good.",
        by: "human:zoe",
      });
      expect<unknown>([status, body]).toMatchObject([
        200,
        {
          ...{
            id,
            status: "approved",
            reviewed_by: "human:zoe",
            reviewed_at: fromMicros(library.clock.now()),
          },
          ...{ review_note: "Good.", expires_at: null, public_url: null },
        },
      ]);
      expect(await eventsSince(before)).toMatchObject([
        {
          ...{ kind: "asset.reviewed", actor: "human:zoe", summary: `Approved ${title}, version 1` },
          ...{ project: "atlas", issue: 12, pr: 34 },
        },
      ]);
      expect(await decisions(id)).toEqual([]);
      expect(await detail(id)).toMatchObject(body);
    });

    test("rejects: its note becomes a decision that names the asset, and its file gets an expiry", async () => {
      const { id, title } = await library.plant({ issue: 12 });
      const before = (await library.events()).length;
      const note = "The logo is cut off.\nUse the SVG.";
      const { status, body } = await library.review(id, { decision: "rejected", note });
      expect<unknown>([status, body]).toMatchObject([
        200,
        {
          ...{ status: "rejected", reviewed_by: "token:tester", review_note: note },
          expires_at: fromMicros(library.clock.now() + 7 * days),
        },
      ]);
      expect(await decisions(id)).toMatchObject([
        { project: "atlas", text: note, source: "review", source_ref: id },
      ]);
      expect(await eventsSince(before)).toMatchObject([
        {
          kind: "asset.reviewed",
          actor: "bot:tester",
          summary: `Rejected ${title}, version 1`,
          project: "atlas",
          issue: 12,
        },
        { kind: "decision.captured", actor: "bot:tester", summary: "The logo is cut off.", project: "atlas" },
      ]);
    });

    test("can be repeated: each rejection is a decision, and an approval retires them and keeps the file", async () => {
      const { id } = await library.plant();
      await library.review(id, { decision: "rejected", note: "One." });
      await library.review(id, { decision: "rejected", note: "Two." });
      expect((await decisions(id)).map(({ text }) => text).sort()).toEqual(["One.", "Two."]);
      const other = await library.plant();
      await library.review(other.id, { decision: "rejected", note: "Of another one." });
      expect((await library.review(id, { decision: "approved" })).body).toMatchObject({
        ...{ status: "approved", review_note: null, expires_at: null },
      });
      expect([await decisions(id), (await decisions(other.id)).length]).toEqual([[], 1]);
      expect((await library.review(id, { decision: "rejected", note: "After all." })).body.status).toBe(
        "rejected",
      );
      expect(await decisions(id)).toMatchObject([{ text: "After all." }]);
    });

    test("sent again, as after a lost response, changes nothing", async () => {
      const { id } = await library.plant();
      const seen = { seen_status: "pending", seen_reviewed_at: null };
      for (const verdict of [{ decision: "rejected", note: "One.", ...seen }, { decision: "approved" }]) {
        const { status, reviewed_at } = (await library.review(id, verdict)).body;
        const before = [(await library.events()).length, await decisions(id)];
        library.clock.advance(secondMicros);
        expect((await library.review(id, verdict)).body).toMatchObject({ status, reviewed_at });
        expect([(await library.events()).length, await decisions(id)]).toEqual(before);
      }
      // what the reviewer marked since is another reason
      const marked = await library.plant();
      await library.review(marked.id, { decision: "rejected", note: "One." });
      const body = { body: "Here.", by: "human:zoe" };
      await library.say(`/assets/${marked.id}/annotations`, { json: body });
      await library.review(marked.id, { decision: "rejected", note: "One." });
      expect(await decisions(marked.id)).toHaveLength(2);
    });

    test("without a note, sent again, changes nothing either, unless something else is to change by then", async () => {
      const { id } = await library.plant();
      const mark = () => library.say(`/assets/${id}/annotations`, { json: { body: "Here." } });
      const seen = { seen_status: "pending", seen_reviewed_at: null };
      const reject = () => library.review(id, { decision: "rejected", ...seen });
      await mark();
      const first = await reject();
      expect(first).toMatchObject({ status: 200, body: { review_note: "1 place to change" } });
      library.clock.advance(secondMicros);
      expect((await reject()).body).toEqual(first.body);
      await mark();
      expect((await reject()).status).toBe(409);
      expect(await decisions(id)).toHaveLength(1);
    });

    test("with a sha256 is of that file only", async () => {
      const { id, sha256 } = await library.plant({ sha256: "ab".repeat(32) });
      const judge = (text: string) => library.review(id, { decision: "approved", sha256: text });
      expect((await judge("cd".repeat(32))).status).toBe(409);
      expect((await detail(id)).status).toBe("pending");
      for (const bad of ["", "ab", "AB".repeat(32), `${sha256}0`])
        expect([bad, (await judge(bad)).status]).toEqual([bad, 400]);
      expect((await judge(sha256)).status).toBe(200);
    });

    test.each(["human:zoe", "bot:ci", "runner:7", "agent:codex", "token:tester"])(
      "is by %s where it says so",
      async (by) => {
        const { id } = await library.plant();
        expect((await library.review(id, { decision: "approved", by })).body.reviewed_by).toBe(by);
        expect(must((await library.events()).at(-1)).actor).toBe(by.replace("token:", "bot:"));
      },
    );

    test("that is invalid is a 400, of an unknown asset a 404, and neither changes anything", async () => {
      const { id } = await library.plant();
      const before = JSON.stringify([await library.events(), await detail(id)]);
      const bad = [
        ...[
          {},
          { decision: "pending" },
          { decision: "published" },
          { decision: "" },
          { decision: ["approved"] },
          { note: "x" },
        ],
        ...["rejected"].flatMap((decision) => [
          { decision },
          { decision, note: "" },
          { decision, note: null },
          { decision, note: 7 },
        ]),
        ...[" ", "\n\t", "\u200b", "a\0b", "a\u001bb", "x".repeat(4097), "\ud800"].map((note) => ({
          decision: "rejected",
          note,
        })),
        ...["nobody", "token:other", "human:", `human:${"x".repeat(129)}`, "root"].map((by) => ({
          decision: "approved",
          by,
        })),
      ];
      for (const text of bad) expect([text, (await library.review(id, text)).status]).toEqual([text, 400]);
      for (const value of [[], "approved", null, 7])
        expect((await library.say(`/assets/${id}/review`, { method: "PUT", json: value })).status).toBe(400);
      const asForm = {
        method: "PUT",
        json: { decision: "approved" },
        headers: { "content-type": "application/x-www-form-urlencoded" },
      };
      expect((await library.say(`/assets/${id}/review`, asForm)).status).toBe(415);
      for (const other of [unknown, "x", "__proto__", "%00", encodeURIComponent("' or 1=1 --")])
        expect([
          other,
          [400, 404].includes((await library.review(other, { decision: "approved" })).status),
        ]).toEqual([other, true]);
      expect(JSON.stringify([await library.events(), await detail(id)])).toBe(before);
      expect(
        (await library.review(id, { decision: "rejected", note: `${"é".repeat(2047)}x\n` })).status,
      ).toBe(200);
    });
  });
});

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, { SVC_RETENTION_DAYS: "7" });
    await link(library.ctx.data, "borealis");
  });
  afterAll(() => library.close());

  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const decisions = async (id: string): Promise<Decision[]> =>
    (await library.ctx.data.currentDecisions("atlas", 1000)).filter(
      (one) => one.source_ref === id,
    ) as unknown as Decision[];
  const eventsSince = async (count: number) => (await library.events()).slice(count);

  describe("of two reviewers, a review", () => {
    test("of an asset that was reviewed since is a 409 that says who, what and when, and changes nothing", async () => {
      const { id, sha256 } = await library.plant();
      const judge = (fields: object) => library.review(id, { decision: "approved", sha256, ...fields });
      const asSeen = { seen_status: "pending", seen_reviewed_at: null };
      library.clock.advance(secondMicros);
      const first = await library.review(id, {
        decision: "rejected",
        note: "Too dark.",
        by: "human:zoe",
        ...asSeen,
      });
      expect(first.status).toBe(200);
      const at = must(first.body.reviewed_at);
      const text = `human:zoe rejected this asset at ${at.slice(0, 19).replace("T", " ")} UTC, after you opened it. Reload it to see that review.`;
      for (const found of [
        asSeen,
        { seen_status: "pending" },
        { seen_reviewed_at: null },
        { seen_status: "rejected", seen_reviewed_at: "2020-01-01T00:00:00Z" },
      ])
        expect<unknown>(await judge(found)).toMatchObject({ status: 409, body: { detail: text } });
      expect(await detail(id)).toMatchObject({
        status: "rejected",
        reviewed_by: "human:zoe",
        review_note: "Too dark.",
      });
      // The same status again, of another time.
      library.clock.advance(secondMicros);
      await library.review(id, { decision: "rejected", note: "Still too dark." });
      expect((await judge({ seen_status: "rejected", seen_reviewed_at: at })).status).toBe(409);
      const now = must((await detail(id)).reviewed_at);
      expect(
        (await judge({ seen_status: "rejected", seen_reviewed_at: now.replace("Z", "+00:00") })).status,
      ).toBe(200);
      for (const bad of [
        { seen_status: "" },
        { seen_status: "gone" },
        { seen_reviewed_at: "" },
        { seen_reviewed_at: "yesterday" },
      ])
        expect([bad, (await judge(bad)).status]).toEqual([bad, 400]);
      const other = await library.plant();
      expect<unknown>(
        await library.review(other.id, { decision: "approved", seen_status: "rejected" }),
      ).toMatchObject({
        ...{
          status: 409,
          body: { detail: "This asset has not been reviewed yet. Reload it before you review it." },
        },
      });
    });

    test("of two concurrent reviews one is recorded and the other is a 409", async () => {
      const { id } = await library.plant();
      const both = ["human:zoe", "human:ana"].map((by) =>
        library.review(id, { decision: "approved", by, seen_status: "pending" }),
      );
      const answers = await Promise.all(both);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    });

    test("and a concurrent one: the last of them in the feed is the asset's", async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await library.plant();
        const before = (await library.events()).length;
        const both = [{ decision: "approved" }, { decision: "rejected", note: "No." }];
        const answers = await Promise.all([...both, ...both].map((fields) => library.review(id, fields)));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        const summaries = (await eventsSince(before))
          .filter(({ kind }) => kind === "asset.reviewed")
          .map(({ summary }) => `${summary}`);
        const { status } = await detail(id);
        expect(must(summaries.at(-1)).startsWith(status === "approved" ? "Approved" : "Rejected")).toBe(true);
        const sinceApproval =
          summaries.length - 1 - summaries.findLastIndex((summary) => summary.startsWith("Approved"));
        expect((await decisions(id)).length).toBe(sinceApproval);
      }
    });
  });
});
