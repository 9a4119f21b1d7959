/** What is taken back is gone from rows, pages, stores and URLs, whatever fails meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ulid } from "ulid";
import { checkFiles } from "../../../src/api/doctor/files.ts";
import { checkRows } from "../../../src/api/doctor/inconsistencies.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import { finishRemovals } from "../../../src/library/removals/finish.ts";
import type { Removal, RemovalPreview } from "../../../src/library/removals/schema.ts";
import { png, zip } from "../../support/assets/media.ts";
import { must, owned } from "../../support/harness.ts";
import { combinations, file, type Library, openLibrary } from "../../support/library.ts";

const pages = [
  { name: "index.html", data: "<!doctype html><script src=js/a.js></script>" },
  { name: "js/a.js", data: "1" },
];
const image = () => file("a.png", Buffer.from(png(8, 8)));
const bundle = () => file("site.zip", Buffer.from(zip(pages)));
const reason = "It shows the old harbor.";

describe.each(combinations)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let admin: string;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, { SVC_RETENTION_DAYS: "7" });
    admin = await library.mint(allScopes, { name: "boss" });
  });
  afterAll(() => library.close());

  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const keysOf = async (id: string, store: Store = library.store) =>
    (await library.keys(store)).filter((key) => key.includes(id));
  const unpublish = (id: string) => library.say<AssetDetail>(`/assets/${id}/unpublish`, { json: { reason } });
  const remove = (id: string, more = {}) =>
    library.say<AssetDetail>(`/assets/${id}/delete-files`, { token: admin, json: { reason, ...more } });
  const published = async (sent: File, replaces?: string) => {
    const fields = { project: "atlas", ...(replaces && { replaces }) };
    const { id } = (await library.upload(fields, sent)).body;
    await library.review(id, { decision: "approved" });
    return (await library.publish(id)).body;
  };
  const doctor = async () => {
    const { ctx } = library;
    const findings = [...(await checkRows(ctx, { deep: true })), ...(await checkFiles(ctx, { deep: true }))];
    return findings.filter(({ level }) => level !== "ok");
  };
  const lastEvent = async () => must((await library.events()).at(-1));

  test("an unpublished file answers 410 at its URL, its object is gone, and it can be published again", async () => {
    const { id, public_url, title } = await published(image());
    expect(await (await library.fetch(public_url)).bytes()).toEqual(new Uint8Array(png(8, 8)));
    const { status, body } = await unpublish(id);
    expect([status, body.status, body.public_url]).toEqual([200, "approved", null]);
    expect(body.removals).toMatchObject([
      { kind: "publication", removed_by: "token:tester", reason, finished_at: expect.any(String) },
    ]);
    expect(await lastEvent()).toMatchObject({
      kind: "asset.unpublished",
      actor: "bot:tester",
      summary: `Unpublished ${title}, version 1`,
    });
    const answer = await library.fetch(public_url);
    expect(answer.status).toBe(place === "disk" ? 410 : 404);
    if (place === "disk")
      expect(await answer.json()).toMatchObject({
        detail: "This file was unpublished. It is no longer available at this URL.",
      });
    expect([await keysOf(id, library.publicStore), (await keysOf(id)).length]).toEqual([[], 2]);
    expect((await unpublish(id)).body.removals).toEqual(body.removals);
    expect(await doctor()).toEqual([]);

    expect((await library.publish(id)).body.public_url).toBe(public_url);
    expect((await library.fetch(public_url)).status).toBe(200);
    expect((await detail(id)).removals).toEqual([]);
  });

  test("a bundle that was replaced is unpublished with all of its files", async () => {
    const { id, public_url } = await published(bundle());
    await library.plant({ bytes: "next" }, id);
    expect((await unpublish(id)).body).toMatchObject({ status: "superseded", public_url: null });
    const script = must(public_url).replace("index.html", "js/a.js");
    for (const url of [public_url, script])
      expect((await library.fetch(url)).status).toBe(place === "disk" ? 410 : 404);
    expect(await keysOf(id, library.publicStore)).toEqual([]);
  });

  test("unpublishing needs a published asset, a reason, and a reviewer", async () => {
    const { id } = await library.plant({ bytes: "words" });
    expect((await unpublish(id)).status).toBe(409);
    expect((await unpublish("01KJMMA2G04TRJQTGZ9SY6NSVZ")).status).toBe(404);
    const post = (token: string, json: object, action = "unpublish") =>
      library.say(`/assets/${id}/${action}`, { token, json });
    expect((await post(library.token, {})).status).toBe(400);
    const ci = await library.mint(["assets:read", "assets:write"]);
    expect((await post(ci, { reason })).status).toBe(403);
    expect((await post(library.token, { reason }, "delete-files")).status).toBe(403);
  });

  test("deleted files leave a tombstone: hash and reviews stay, every file and URL is gone", async () => {
    const first = await published(image());
    await library.review(first.id, { decision: "approved" });
    const { id } = (await library.upload({ project: "atlas", replaces: first.id }, image())).body;
    const twin = (await library.upload({ project: "atlas", resubmit: "Again." }, image())).body;
    const preview = (await library.say<RemovalPreview>(`/assets/${id}/removal`)).body;
    expect(preview).toMatchObject({
      versions: [
        { id: first.id, has_file: true, public_url: first.public_url },
        { id, has_file: true, public_url: null },
      ],
      shares: 0,
      same_file: expect.arrayContaining([twin.id]),
    });
    const shown = (await detail(id)).url;
    const { status, body } = await remove(id, { all_versions: true });
    expect([status, body.status, body.review_note]).toEqual([
      ...[200, "rejected", `The files were deleted: ${reason}`],
    ]);
    expect(body).toMatchObject({ sha256: first.sha256, url: null, thumb_url: null, provenance: [] });
    const old = await detail(first.id);
    expect(old).toMatchObject({
      status: "superseded",
      public_url: null,
      verdicts: [{ decision: "approved" }],
    });
    expect(old.removals.map(({ kind }) => kind).toSorted()).toEqual(["file", "publication"]);
    for (const one of [id, first.id])
      expect([await keysOf(one), await keysOf(one, library.publicStore)]).toEqual([[], []]);
    expect((await library.fetch(shown)).status).toBe(404);
    expect((await library.fetch(first.public_url)).status).toBe(place === "disk" ? 410 : 404);
    expect((await library.fetch((await detail(twin.id)).url)).status).toBe(200);
    expect((await library.review(id, { decision: "approved" })).status).toBe(409);
    expect(await lastEvent()).toMatchObject({ kind: "asset.deleted" });
    const audit = await library.ctx.data.audit({ what: ["deleteAssetFiles"], who: "boss", limit: 1 });
    expect(audit).toMatchObject([{ target: id, project: "atlas", status: 200 }]);
    expect(await doctor()).toEqual([]);
  });

  test("a crash at any step of the stores: the removal holds, and the next server finishes it", async () => {
    for (const act of [unpublish, remove])
      for (const step of [0, 1]) {
        const planted = ulid();
        await library.plant({ id: planted, key: `atlas/${planted}/a.txt`, bytes: "words" });
        await library.review(planted, { decision: "approved" });
        const { id, public_url } = (await library.publish(planted)).body;
        let calls = 0;
        const dying = (store: Store): Store => ({
          ...store,
          async delete(key) {
            if (calls++ >= step) throw new Error("killed");
            await store.delete(key);
          },
        });
        const { ctx } = library;
        ctx.store = owned(dying(library.store), ctx.data);
        ctx.publicStore = owned(dying(library.publicStore), ctx.data);
        const { body } = await act(id);
        ctx.store = owned(library.store, ctx.data);
        ctx.publicStore = owned(library.publicStore, ctx.data);
        const isPending = ({ finished_at }: Removal) => finished_at === null;
        expect(body.removals.some(isPending)).toBe(step === 0 || act === remove);
        expect([body.public_url, body.url === null]).toEqual([null, act === remove]);
        if (place === "disk") expect((await library.fetch(public_url)).status).toBe(410);
        await finishRemovals(ctx);
        expect(await keysOf(id, library.publicStore)).toEqual([]);
        expect((await keysOf(id)).length).toBe(act === remove ? 0 : 1);
        expect((await detail(id)).removals.some(isPending)).toBe(false);
      }
    expect(await doctor()).toEqual([]);
  });
});
