/** New versions of an asset, on every database with every kind of store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromMicros, secondMicros } from "../../../src/core/lib/time.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import { link, must, until } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

const days = 86_400 * secondMicros;

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, { SVC_RETENTION_DAYS: "7" });
    await link(library.ctx.data, "borealis");
  });
  afterAll(() => library.close());

  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const eventsSince = async (count: number) => (await library.events()).slice(count);

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
        ...{ id, version, status, verdict: null, reviewed_by: null, created_at, created_by, thumb_url: null },
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
});
