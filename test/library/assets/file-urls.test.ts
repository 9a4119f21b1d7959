/** Signed URLs of files, and the public URLs of published ones. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { variantKey } from "../../../src/files/stores/keys.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { png, zip } from "../../support/assets/media.ts";
import { fieldsOf, pages, text } from "../../support/assets/served-files.ts";
import { must, owned } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary, pathOf } from "../../support/library.ts";

describe.each(deployments)("bytes of $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let note: Asset;
  let image: Asset;
  let bundle: Asset;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
    const plant = async (fields: Parameters<Library["plant"]>[0]) =>
      (await library.say(`/assets/${(await library.plant(fields)).id}`)).body;
    note = await plant({ bytes: text });
    const uploads = [file("a.png", Buffer.from(png(600, 400))), file("site.zip", Buffer.from(zip(pages)))];
    [image, bundle] = (await Promise.all(
      uploads.map(async (sent) => (await library.upload({ project: "atlas" }, sent)).body),
    )) as [Asset, Asset];
  });
  afterAll(() => library.close());

  const get = (url: string | null | undefined, headers: Record<string, string> = {}, method = "GET") =>
    library.fetch(url, { headers, method });

  test("of a thumbnail are at the name of its format, which older rows do not tell", async () => {
    const older = await library.plant({ bytes: "x", has_thumb: true });
    const stored = variantKey(older.id, "thumb.webp");
    await library.store.put(stored, new Blob(["WebP"]).stream(), { type: "image/webp", maxBytes: 4 });
    const { thumb_url } = (await library.say(`/assets/${older.id}`)).body;
    for (const [url, name, type, other] of [
      [must(thumb_url), "thumb.webp", "image/webp", "thumb.jpg"],
      [must(image.thumb_url), "thumb.jpg", "image/jpeg", "thumb.webp"],
    ] as const) {
      expect(url.split("/").at(-1)).toBe(name);
      const response = await get(url);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
      expect((await get(url.replace(name, other))).status).toBe(403);
    }
  });

  describe("behind a signed URL", () => {
    test("are for what was signed: nothing of it can be changed", async () => {
      const other = (await library.say(`/assets/${(await library.plant({ bytes: "of another one" })).id}`))
        .body;
      for (const url of [note.url, image.thumb_url, bundle.bundle_url]) {
        const path = pathOf(must(url));
        const [, , , purpose = "", id = "", seal = "", ...rest] = path.split("/");
        const [expires = "", signature = ""] = seal.split(/-(.*)/s);
        const at = (...parts: string[]) => `/api/assets/${parts.join("/")}`;
        const flip = (index: number) =>
          signature.slice(0, index) + (signature[index] === "A" ? "B" : "A") + signature.slice(index + 1);
        const forged = [
          ...["view", "thumb", "bundle", "upload", "media", "", "VIEW"]
            .filter((one) => one !== purpose)
            .map((one) => at(one, id, seal, ...rest)),
          ...[other.id, image.id, note.id, bundle.id, id.toLowerCase(), `${id}0`, "", "__proto__"]
            .filter((one) => one !== id)
            .map((one) => at(purpose, one, seal, ...rest)),
          ...[
            `${Number(expires) + 3600}-${signature}`,
            `0${expires}-${signature}`,
            `${expires}.0-${signature}`,
            `-${signature}`,
            `${expires}-`,
            `${expires}`,
          ],
          ...[0, 15, 31].map((index) => `${expires}-${flip(index)}`),
          ...[
            `${expires}-${signature}A`,
            `${expires}-${signature.slice(1)}`,
            `${expires}-${signature.toLowerCase()}`,
            `${expires}-${signature}=`,
            "",
            "x",
            seal.split("-").reverse().join("-"),
          ],
        ].map((one) => (one.startsWith("/") ? one : at(purpose, id, one, ...rest)));
        const added = [
          "?",
          "?x=1",
          "?expires=9999999999",
          "?response-content-type=text/html",
          "?response-content-disposition=inline",
        ].map((query) => path + query);
        for (const one of [...forged, ...added]) {
          const response = await library.ask(one);
          expect([
            one,
            [403, 404, 405].includes(response.status),
            response.headers.get("content-type"),
          ]).toEqual([one, true, "application/problem+json"]);
          if (added.includes(one)) expect([one, response.status]).toEqual([one, 403]);
        }
        expect((await library.ask(path)).status).toBe(200);
      }
      for (const name of ["other.txt", "", "note.txt/", "note.txt/x", "../note.txt", "NOTE.TXT"])
        expect([
          name,
          [403, 404].includes((await get(must(note.url).replace("note.txt", name))).status),
        ]).toEqual([name, true]);
    });

    test("are available until the URL expires, and not a second longer", async () => {
      const own = (await library.say(`/assets/${note.id}`)).body;
      const expires = Number(/\/(\d+)-/.exec(must(own.url))?.[1]) * secondMicros;
      expect(expires - library.clock.now()).toBeGreaterThan(3_600 * secondMicros - 1);
      expect(expires - library.clock.now()).toBeLessThan(3_901 * secondMicros);
      const now = library.clock.now();
      library.clock.advance(expires - now - 1);
      expect((await get(own.url)).status).toBe(200);
      const range = async () => (await get(own.url, { range: "bytes=0-1" })).status;
      expect([await range(), await range()]).toEqual([206, 206]);
      library.clock.advance(1);
      expect(await range()).toBe(403);
      const late = await get(own.url);
      expect([late.status, await late.text()]).toEqual([403, expect.not.stringContaining("0123")]);
      for (const asset of [note, image, bundle])
        Object.assign(asset, (await library.say(`/assets/${asset.id}`)).body);
    });

    test("never have their signature in the log", async () => {
      const fail = () => Promise.reject(new Error("a fault of the disk"));
      const reserved = (await library.presign({})).body;
      Object.assign(library.ctx, {
        store: owned({ ...library.store, stat: fail, get: fail }, library.ctx.data),
      });
      const urls = [must(note.url), must(image.thumb_url), must(bundle.bundle_url)];
      for (const url of urls) expect((await get(url)).status).toBe(500);
      if (place === "disk") expect((await library.put(reserved, "x")).status).toBe(500);
      Object.assign(library.ctx, { store: owned(library.store, library.ctx.data) });
      const logged = JSON.stringify(library.logged);
      expect(logged).toContain("a fault of the disk");
      for (const url of [...urls, reserved.upload_url]) {
        const signature = /\/\d+-([\w-]{32})|Signature=(\w+)/.exec(url);
        expect(logged).not.toContain(must(signature?.[1] ?? signature?.[2]));
      }
    });
  });

  test("that are published are public, fresh for an hour and sent with the same security headers", async () => {
    const publish = async ({ id }: Asset) => {
      await library.review(id, { decision: "approved" });
      return (await library.publish(id)).body.public_url;
    };
    const [image_url, index] = [await publish(image), must(await publish(bundle))];
    expect((await get(image_url)).headers.get("content-type")).toBe("image/png");
    if (place === "bucket") return;
    const names = [
      "content-type",
      "content-security-policy",
      "x-content-type-options",
      "cache-control",
      "etag",
    ];
    expect(fieldsOf(await get(image_url), names)).toMatchObject({
      ...{
        "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none'/),
        "x-content-type-options": "nosniff",
      },
      ...{ "cache-control": "public, max-age=3600, must-revalidate", etag: `"${image.sha256}"` },
    });
    expect(fieldsOf(await get(index), names)).toMatchObject({
      ...{ "content-type": "text/html; charset=utf-8", "x-content-type-options": "nosniff" },
      "content-security-policy": expect.stringMatching(
        `sandbox allow-scripts; default-src http://svc.test/media/atlas/${bundle.id}/ `,
      ),
    });
    const part = await get(image_url, { range: "bytes=1-3" });
    expect([part.status, await part.text()]).toEqual([206, "PNG"]);
    expect((await get(image_url, { "if-none-match": `"${image.sha256}"` })).status).toBe(304);
    await library.publicStore.put(`atlas/${note.id}/note.txt`, new Blob([text]).stream(), {
      type: "text/plain",
      maxBytes: 1000,
    });
    const hidden = [
      ...[
        `atlas/${note.id}/note.txt`,
        `borealis/${image.id}/a.png`,
        `atlas/${image.id}`,
        `atlas/${image.id}/`,
        `atlas/${image.id}/b.png`,
        "",
        "atlas",
      ],
      ...[
        `atlas/${image.id}/%2e%2e/a.png`,
        `_pending/${image.id}`,
        "..%2f..%2fsvc.db",
        "%00",
        "%zz",
        `atlas/${image.id}/a.png%00`,
      ],
    ];
    for (const path of hidden) {
      const response = await library.ask(`/media/${path}`);
      expect([path, [404, 400].includes(response.status), response.headers.get("content-type")]).toEqual([
        path,
        true,
        "application/problem+json",
      ]);
    }
  });
});
