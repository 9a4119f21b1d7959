/** What was reviewed is what is shown and published, for each file of a bundle. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { repairBundles } from "../../../src/api/doctor/bundles.ts";
import { checkFiles } from "../../../src/api/doctor/files.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import { makeManifests, repairBundle } from "../../../src/library/assets/bundles/maintenance.ts";
import type { AssetList } from "../../../src/library/assets/schema.ts";
import { zip } from "../../support/assets/media.ts";
import { must } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

const sha256 = (text: string): string => Bun.CryptoHasher.hash("sha256", text, "hex");
const page = "<!doctype html><script src=a.js></script>";

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let count = 0;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
  });
  afterAll(() => library.close());

  /** Uploads a bundle whose script nothing else contains. */
  async function bundle() {
    const script = `let number = ${++count}`;
    const content = zip([
      { name: "index.html", data: page },
      { name: "a.js", data: script },
    ]);
    const { body } = await library.upload({ project: "atlas" }, file("site.zip", Buffer.from(content)));
    const folder = `_variants/${body.id}/bundle/`;
    return { ...body, script, folder, zipKey: `atlas/${body.id}/site.zip`, zip: content };
  }
  type Bundle = Awaited<ReturnType<typeof bundle>>;

  const write = async (store: Store, key: string, bytes: BlobPart) => {
    await store.delete(key);
    const content = new Blob([bytes]);
    await store.put(key, content.stream(), { type: "text/javascript", maxBytes: content.size });
  };
  const read = async (store: Store, key: string) => {
    const stored = await store.get(key);
    return stored && (await new Response(stored.body).text());
  };
  const tampered = ({ script }: Bundle) => script.replace("let", "var");
  const show = (asset: Bundle, path = "a.js") =>
    library.fetch(must(asset.bundle_url).replace("index.html", path));
  const problems = async () =>
    (await checkFiles(library.ctx, { deep: true })).filter(({ level }) => level !== "ok");
  const find = async (hash: string) =>
    (await library.say<AssetList>(`/assets?file_sha256=${hash}`)).body.assets.map(({ id }) => id);
  const forget = async ({ id }: Bundle) => {
    const sql = new SQL(library.url.replace(/^sqlite:/, "sqlite://"), { max: 1 });
    await sql.unsafe(`delete from bundle_files where asset = '${id}'`);
    await sql.close();
  };
  const damages = ["changed", "lost"] as const;
  const damage = (how: (typeof damages)[number], asset: Bundle, store: Store, key: string) =>
    how === "lost" ? store.delete(key) : write(store, key, tampered(asset));

  test.each(damages)(
    "a file that is %s in the store is restored before it is shown or published",
    async (how) => {
      const [shown, shipped] = [await bundle(), await bundle()];
      expect(await (await show(shown)).text()).toBe(shown.script);
      for (const asset of [shown, shipped])
        for (const path of ["a.js", "index.html"])
          await damage(how, asset, library.store, asset.folder + path);
      expect(await (await show(shown)).text()).toBe(shown.script);
      await library.review(shipped.id, { decision: "approved" });
      const { status, body } = await library.publish(shipped.id);
      expect([status, body.detail]).toEqual([200, undefined]);
      const published = await library.fetch(must(body.public_url).replace("index.html", "a.js"));
      expect(await published.text()).toBe(shipped.script);
      expect(await (await library.fetch(body.public_url)).text()).toBe(page);
      expect(await read(library.store, `${shipped.folder}a.js`)).toBe(shipped.script);
    },
  );

  test("neither is shown or published once the zip has changed too, and the answer says why", async () => {
    const asset = await bundle();
    await library.review(asset.id, { decision: "approved" });
    await write(library.store, `${asset.folder}a.js`, tampered(asset));
    await write(library.store, asset.zipKey, "x".repeat(asset.size));
    const response = await show(asset);
    const { detail } = (await response.json()) as { detail: string };
    expect([response.status, detail]).toEqual([
      503,
      expect.stringContaining("its zip has changed. Restore it from a backup"),
    ]);
    expect(await library.publish(asset.id)).toMatchObject({ status: 503, body: { detail } });
    expect(await library.keys(library.publicStore)).not.toContain(`atlas/${asset.id}/a.js`);
    expect(await problems()).toMatchObject([
      { what: "changed files", detail: expect.stringContaining(asset.zipKey) },
      { what: "bundle files", detail: expect.stringContaining(`${asset.folder}a.js`) },
    ]);
    await write(library.store, asset.zipKey, Buffer.from(asset.zip));
    expect((await library.publish(asset.id)).status).toBe(200);
    expect(await problems()).toEqual([]);
  });

  test("a file that the zip does not have is neither shown nor published, and doctor names it", async () => {
    const asset = await bundle();
    await write(library.store, `${asset.folder}b.js`, "more");
    expect((await show(asset, "b.js")).status).toBe(404);
    await library.review(asset.id, { decision: "approved" });
    await library.publish(asset.id);
    expect(await library.keys(library.publicStore)).not.toContain(`atlas/${asset.id}/b.js`);
    expect(await problems()).toMatchObject([
      { what: "unknown files", detail: expect.stringContaining(`${asset.folder}b.js`) },
    ]);
    await library.store.delete(`${asset.folder}b.js`);
  });

  test.each(damages)(
    "svc doctor --deep names published files that are %s, and --fix restores them",
    async (how) => {
      const asset = await bundle();
      await library.review(asset.id, { decision: "approved" });
      const { public_url } = (await library.publish(asset.id)).body;
      const publicKey = `atlas/${asset.id}/a.js`;
      const url = must(public_url).replace("index.html", "a.js");
      expect(await (await library.fetch(url)).text()).toBe(asset.script);
      await damage(how, asset, library.publicStore, publicKey);
      await damage(how, asset, library.store, `${asset.folder}a.js`);
      // A disk store is served by svc, which restores the file at once; a bucket serves it itself.
      if (place === "disk") {
        expect(await (await library.fetch(url)).text()).toBe(asset.script);
        await damage(how, asset, library.publicStore, publicKey);
        await damage(how, asset, library.store, `${asset.folder}a.js`);
      }
      expect(await problems()).toMatchObject([
        {
          what: "bundle files",
          level: "error",
          detail: expect.stringMatching(
            new RegExp(`${asset.folder}a.js, public ${publicKey}: .*--deep --fix`),
          ),
        },
      ]);
      expect(await repairBundles(library.ctx)).toBe(1);
      expect(await problems()).toEqual([]);
      expect(await (await library.fetch(url)).text()).toBe(asset.script);
    },
  );

  test("the hash of a file finds its bundle, as that of the zip does", async () => {
    const asset = await bundle();
    expect(await find(sha256(asset.script))).toEqual([asset.id]);
    expect(await find(asset.sha256)).toEqual([asset.id]);
    expect(await find(sha256(page))).toContain(asset.id);
    expect(await find("0".repeat(64))).toEqual([]);
  });

  test("a bundle without a manifest gets one from its zip when it is needed, at the latest by cleanup", async () => {
    const [seen, unseen] = [await bundle(), await bundle()];
    for (const asset of [seen, unseen]) {
      await forget(asset);
      await write(library.store, `${asset.folder}a.js`, tampered(asset));
    }
    expect((await problems()).map(({ what }) => what)).toEqual(["bundle files"]);
    expect(await (await show(seen)).text()).toBe(seen.script);
    expect([await find(sha256(seen.script)), await find(sha256(unseen.script))]).toEqual([[seen.id], []]);
    await makeManifests(library.ctx, () => true);
    expect(await find(sha256(unseen.script))).toEqual([unseen.id]);
    expect(await repairBundle(library.ctx, must(await library.ctx.data.asset(null, unseen.id)))).toBe(true);
    expect(await problems()).toEqual([]);
  });
});
