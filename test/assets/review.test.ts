/** Versions, review and publication, on every database with every kind of store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ulid } from "ulid";
import type { AssetDetail } from "../../src/assets/schema.ts";
import { fromMicros, secondMicros } from "../../src/lib/time.ts";
import type { Decision } from "../../src/memory/schema.ts";
import { link, must, owned, until } from "../support/harness.ts";
import { combinations, file, type Library, openLibrary } from "../support/library.ts";
import { zip } from "../support/media.ts";

const unknown = "01KJMMA2G04TRJQTGZ9SY6NSVZ";
const days = 86_400 * secondMicros;

describe.each(combinations)("on $dialect and $place", ({ dialect, place }) => {
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

    test("with a sha256 is of that file only", async () => {
      const { id, sha256 } = await library.plant({ sha256: "ab".repeat(32) });
      const judge = (said: string) => library.review(id, { decision: "approved", sha256: said });
      expect((await judge("cd".repeat(32))).status).toBe(409);
      expect((await detail(id)).status).toBe("pending");
      for (const bad of ["", "ab", "AB".repeat(32), `${sha256}0`])
        expect([bad, (await judge(bad)).status]).toEqual([bad, 400]);
      expect((await judge(sha256)).status).toBe(200);
    });

    test("of an asset that was reviewed since is a 409 that says who, what and when, and changes nothing", async () => {
      const { id, sha256 } = await library.plant();
      const judge = (said: object) => library.review(id, { decision: "approved", sha256, ...said });
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
      const said = `human:zoe rejected this asset at ${at.slice(0, 19).replace("T", " ")} UTC, after you opened it. Reload it to see that review.`;
      for (const seen of [
        asSeen,
        { seen_status: "pending" },
        { seen_reviewed_at: null },
        { seen_status: "rejected", seen_reviewed_at: "2020-01-01T00:00:00Z" },
      ])
        expect<unknown>(await judge(seen)).toMatchObject({ status: 409, body: { detail: said } });
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
      for (const said of bad) expect([said, (await library.review(id, said)).status]).toEqual([said, 400]);
      for (const said of [[], "approved", null, 7])
        expect((await library.say(`/assets/${id}/review`, { method: "PUT", json: said })).status).toBe(400);
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

    test("and a concurrent one: the last of them in the feed is the asset's", async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await library.plant();
        const before = (await library.events()).length;
        const both = [{ decision: "approved" }, { decision: "rejected", note: "No." }];
        const answers = await Promise.all([...both, ...both].map((said) => library.review(id, said)));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        const said = (await eventsSince(before))
          .filter(({ kind }) => kind === "asset.reviewed")
          .map(({ summary }) => `${summary}`);
        const { status } = await detail(id);
        expect(must(said.at(-1)).startsWith(status === "approved" ? "Approved" : "Rejected")).toBe(true);
        const sinceApproval =
          said.length - 1 - said.findLastIndex((summary) => summary.startsWith("Approved"));
        expect((await decisions(id)).length).toBe(sinceApproval);
      }
    });
  });

  describe("a new version", () => {
    test("inherits task and title of the version it replaces, which is superseded", async () => {
      const first = (
        await library.upload({ project: "atlas", issue: "12", title: "Landing page" }, file("a.txt", "one"))
      ).body;
      const before = (await library.events()).length;
      const second = (await library.upload({ project: "atlas", replaces: first.id }, file("b.txt", "two")))
        .body;
      expect(second).toMatchObject({
        ...{
          version: 2,
          parent_id: first.id,
          status: "pending",
          title: "Landing page",
          issue: 12,
          pr: null,
          expires_at: null,
        },
      });
      expect(await eventsSince(before)).toMatchObject([
        { kind: "asset.uploaded", summary: "Uploaded Landing page, version 2", issue: 12 },
      ]);
      const third = (
        await library.upload(
          { project: "atlas", replaces: second.id, title: "Page", pr: "7" },
          file("c.txt", "three"),
        )
      ).body;
      expect(third).toMatchObject({ version: 3, parent_id: second.id, title: "Page", issue: 12, pr: 7 });
      const { versions, ...asset } = await detail(first.id);
      expect(asset).toMatchObject({
        status: "superseded",
        expires_at: fromMicros(library.clock.now() + 7 * days),
        parent_id: null,
      });
      expect(await (await library.fetch(asset.url)).text()).toBe("one");
      const of = ({ id, created_at, created_by }: typeof first, version: number, status: string) => ({
        ...{ id, version, status, created_at, created_by, thumb_url: null },
      });
      const chain = [of(first, 1, "superseded"), of(second, 2, "superseded"), of(third, 3, "pending")];
      for (const { id } of [first, second, third])
        expect<unknown>((await detail(id)).versions).toEqual(chain);
      expect<unknown>(versions).toEqual(chain);
    });

    test.each(["pending", "approved", "rejected", "published"] as const)(
      "replaces one that is %s",
      async (status) => {
        const { id } = await library.plant();
        const change = {
          status,
          expires_at: null,
          public_url: status === "published" ? "https://cdn.example/x" : null,
        };
        await library.ctx.data.atomically((writes) => writes.changeAsset(id, change));
        const next = await library.plant({}, id);
        expect(next).toMatchObject({ version: 2, parent_id: id, status: "pending", public_url: null });
        expect(await detail(id)).toMatchObject({
          ...{
            status: "superseded",
            public_url: change.public_url,
            expires_at: fromMicros(library.clock.now() + 7 * days),
          },
        });
        expect((await library.review(id, { decision: "approved" })).status).toBe(409);
        expect((await library.publish(id)).status).toBe(409);
      },
    );

    test("of an old version is a 409, of another project's asset a 400", async () => {
      const { id } = await library.plant();
      await library.plant({}, id);
      expect((await library.upload({ project: "atlas", replaces: id })).status).toBe(409);
      expect((await library.presign({ replaces: id })).status).toBe(409);
      const other = await library.plant({ project: "borealis" });
      expect((await library.upload({ project: "atlas", replaces: other.id })).status).toBe(400);
      expect((await library.presign({ replaces: other.id })).status).toBe(400);
    });

    test("is one of ten concurrent ones: the chain has one head and no gap, and the other files are deleted", async () => {
      const { id, root_id } = await library.plant();
      const others = await library.keys();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          library.upload({ project: "atlas", replaces: id }, file("a.txt", `attempt ${index}`)),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
      const chain = await library.ctx.data.versions(root_id);
      const made = must(answers.find(({ status }) => status === 201)).body;
      expect(chain.map((one) => [one.id, one.version, one.parent_id, one.status])).toEqual([
        [id, 1, null, "superseded"],
        [made.id, 2, id, "pending"],
      ]);
      const added = async () => (await library.keys()).filter((key) => !others.includes(key));
      await until(async () => (await added()).length === 1, "what the others brought is gone");
      expect(await added()).toEqual([`atlas/${made.id}/a.txt`]);
    });
  });

  describe("a publication", () => {
    const approve = async (asset: { id: string; title: string }) => {
      await library.review(asset.id, { decision: "approved" });
      return asset;
    };
    const approved = async (name = "note.txt", bytes = "some words") => {
      const id = ulid();
      return approve(await library.plant({ id, key: `atlas/${id}/${name}`, bytes }));
    };

    test("gives the reviewed file a permanent URL, and is idempotent", async () => {
      const { id, title } = await approved("a-b.txt", "words for the world");
      const before = (await library.events()).length;
      const { status, body } = await library.publish(id);
      expect<unknown>([status, body]).toMatchObject([200, { id, status: "published", expires_at: null }]);
      expect(body.public_url).toBe(
        place === "disk"
          ? `http://svc.test/media/atlas/${id}/a-b.txt`
          : `${library.publicStore.baseUrl}/atlas/${id}/a-b.txt`,
      );
      const response = await library.fetch(body.public_url);
      expect([
        response.status,
        response.headers.get("content-type")?.split(";")[0],
        await response.text(),
      ]).toEqual([...[200, "text/plain", "words for the world"]]);
      expect(await library.publish(id)).toMatchObject({ status: 200, body });
      expect(await eventsSince(before)).toMatchObject([
        {
          kind: "asset.published",
          actor: "bot:tester",
          summary: `Published ${title}, version 1`,
          project: "atlas",
        },
      ]);
      expect((await library.review(id, { decision: "rejected", note: "Too late." })).status).toBe(409);
    });

    test("needs an approved asset: others are a 409, unknown ones a 404", async () => {
      const { id } = await library.plant();
      expect((await library.publish(id)).status).toBe(409);
      await library.review(id, { decision: "rejected", note: "No." });
      expect((await library.publish(id)).status).toBe(409);
      await library.plant({}, id);
      expect((await library.publish(id)).status).toBe(409);
      for (const other of [unknown, "x", "__proto__"])
        expect([other, (await library.publish(other)).status]).toEqual([other, 404]);
      expect((await library.keys(library.publicStore)).filter((key) => key.includes(id))).toEqual([]);
    });

    test("of a bundle publishes its pages, with the index at the public URL", async () => {
      const pages = [
        { name: "site/index.html", data: "<!doctype html><script src=a.js></script>" },
        { name: "site/a.js", data: "1" },
      ];
      const { id } = await approve(
        (await library.upload({ project: "atlas" }, file("site.zip", Buffer.from(zip(pages))))).body,
      );
      const {
        status,
        body: { public_url, detail },
      } = await library.publish(id);
      expect([status, detail]).toEqual([200, undefined]);
      expect(public_url).toEndWith(`/atlas/${id}/site/index.html`);
      const script = await library.fetch(public_url?.replace("index.html", "a.js"));
      expect([script.headers.get("content-type")?.split(";")[0], await script.text()]).toEqual([
        "text/javascript",
        "1",
      ]);
      expect(await (await library.fetch(public_url)).text()).toBe(must(pages[0]).data);
    });

    test("ten times concurrently is one publication", async () => {
      const { id } = await approved("ten.txt", "once");
      const before = (await library.events()).length;
      const answers = await Promise.all(Array.from({ length: 10 }, () => library.publish(id)));
      const [first] = answers;
      for (const answer of answers) expect([answer.status, answer.body]).toEqual([200, must(first).body]);
      expect((await eventsSince(before)).map(({ kind }) => kind)).toEqual(["asset.published"]);
      expect((await library.keys(library.publicStore)).filter((key) => key.includes(id))).toEqual([
        `atlas/${id}/ten.txt`,
      ]);
    });

    test("and a concurrent rejection: one of them succeeds, and a rejected file is not public", async () => {
      const statuses = new Set<string>();
      for (let round = 0; round < 6; round++) {
        const { id } = await approved("a.txt", `round ${round}`);
        const reject = () => library.review(id, { decision: "rejected", note: "No." });
        const [published, rejected] = await Promise.all(
          round % 2 ? [library.publish(id), reject()] : [library.publish(id), Bun.sleep(round).then(reject)],
        );
        const { status, public_url } = await detail(id);
        statuses.add(status);
        expect([published.status, rejected.status]).toEqual(status === "published" ? [200, 409] : [409, 200]);
        const copies = (await library.keys(library.publicStore)).filter((key) => key.includes(id));
        expect([copies.length, public_url !== null]).toEqual(status === "published" ? [1, true] : [0, false]);
      }
      expect([...statuses].every((status) => status === "published" || status === "rejected")).toBe(true);
    });

    test("that loses to a rejection deletes its copy", async () => {
      const { id } = await approved();
      const put = library.publicStore.put;
      library.ctx.publicStore = owned(
        {
          ...library.publicStore,
          async put(...args) {
            const written = await put(...args);
            await library.review(id, { decision: "rejected", note: "No." });
            return written;
          },
        },
        library.ctx.data,
      );
      expect((await library.publish(id)).status).toBe(409);
      library.ctx.publicStore = owned(library.publicStore, library.ctx.data);
      expect((await library.keys(library.publicStore)).filter((key) => key.includes(id))).toEqual([]);
    });

    test("whose copy was deleted in between is complete all the same", async () => {
      const { id } = await approved("back.txt", "here");
      let isTaken = false;
      library.ctx.publicStore = owned(
        {
          ...library.publicStore,
          async put(key, ...args) {
            const written = await library.publicStore.put(key, ...args);
            if (!isTaken) await library.publicStore.delete(key);
            isTaken = true;
            return written;
          },
        },
        library.ctx.data,
      );
      const { body } = await library.publish(id);
      library.ctx.publicStore = owned(library.publicStore, library.ctx.data);
      expect(await (await library.fetch(body.public_url)).text()).toBe("here");
    });

    test("is of the reviewed file: if the store holds another, nothing is published", async () => {
      const { id } = await approved("a.txt", "reviewed");
      const key = `atlas/${id}/a.txt`;
      await library.store.delete(key);
      const written = { type: "text/plain", maxBytes: 8 };
      await library.store.put(key, new Blob(["forged!!"]).stream(), written);
      expect((await library.publish(id)).status).toBe(503);
      expect((await detail(id)).status).toBe("approved");
      expect((await library.keys(library.publicStore)).filter((one) => one.includes(id))).toEqual([]);
      await library.store.delete(key);
      expect((await library.publish(id)).status).toBe(503);
      await library.store.put(key, new Blob(["reviewed"]).stream(), written);
      expect((await library.publish(id)).status).toBe(200);
    });
  });
});

test("SVC_PUBLIC_BASE_URL is the base of public URLs", async () => {
  await using library = await openLibrary("sqlite", "disk", {
    SVC_PUBLIC_BASE_URL: "https://cdn.example/assets/",
  });
  const { id } = (await library.upload({ project: "atlas" })).body;
  await library.review(id, { decision: "approved" });
  expect((await library.publish(id)).body.public_url).toBe(`https://cdn.example/assets/atlas/${id}/note.txt`);
});
