/** Serving files: ranges, conditional requests, refusals, and what a reader that leaves holds. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { checkFiles } from "../../../src/api/doctor/files.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import type { Asset, AssetDetail } from "../../../src/library/assets/schema.ts";
import { png, zip } from "../../support/assets/media.ts";
import { pages, text } from "../../support/assets/served-files.ts";
import { must, owned } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";

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
  const etag = () => `"${note.sha256}"`;

  describe("of a range", () => {
    const parts: [string, number, string | null, string][] = [
      ["bytes=0-0", 206, "bytes 0-0/1000", "0"],
      ["bytes=0-99", 206, "bytes 0-99/1000", text.slice(0, 100)],
      ["bytes=995-999", 206, "bytes 995-999/1000", "56789"],
      ["bytes=995-", 206, "bytes 995-999/1000", "56789"],
      ["bytes=995-5000", 206, "bytes 995-999/1000", "56789"],
      ["bytes=0-", 206, "bytes 0-999/1000", text],
      ["bytes=-1", 206, "bytes 999-999/1000", "9"],
      ["bytes=-1000", 206, "bytes 0-999/1000", text],
      ["bytes=-5000", 206, "bytes 0-999/1000", text],
      ["Bytes=3-4", 206, "bytes 3-4/1000", "34"],
      [" bytes=3-4 ", 206, "bytes 3-4/1000", "34"],
      ["bytes=1000-", 416, "bytes */1000", ""],
      ["bytes=1000-1001", 416, "bytes */1000", ""],
      ["bytes=999999999999999-", 416, "bytes */1000", ""],
      ["bytes=-0", 416, "bytes */1000", ""],
      ...[
        "bytes=5-3",
        "bytes=0-1,5-6",
        "bytes=",
        "bytes=-",
        "bytes=a-b",
        "bytes=0x1-2",
        "bytes=1.5-2",
        "lines=0-1",
        "0-1",
        "bytes 0-1",
        "bytes=--1",
      ].map((range): [string, number, null, string] => [range, 200, null, text]),
    ];
    test.each(parts)("%p answers %d, %p", async (range, status, contentRange, body) => {
      const response = await get(note.url, { range });
      expect([response.status, response.headers.get("content-range"), await response.text()]).toEqual([
        status,
        contentRange,
        body,
      ]);
      expect(response.headers.get("accept-ranges")).toBe("bytes");
      if (status !== 416) expect(response.headers.get("content-length")).toBe(String(body.length));
    });

    test.each([
      ["its own tag", () => etag(), 206],
      ["another tag", () => '"other"', 200],
      ["its own tag, weak", () => `W/${etag()}`, 200],
      ["a date", () => new Date().toUTCString(), 200],
    ])("with If-Range %s", async (_, condition, status) => {
      const response = await get(note.url, { range: "bytes=0-4", "if-range": condition() });
      expect([response.status, (await response.text()).length]).toEqual([status, status === 206 ? 5 : 1000]);
    });

    test("of an empty file is not satisfiable", async () => {
      const { id } = await library.plant({ bytes: "" });
      const { url } = (await library.say(`/assets/${id}`)).body;
      for (const [range, status] of [
        ["bytes=0-", 416],
        ["bytes=-5", 416],
        ["bytes=0-0", 416],
      ] as const)
        expect([range, (await get(url, { range })).status]).toEqual([range, status]);
      const whole = await get(url);
      expect([whole.status, whole.headers.get("content-length"), await whole.text()]).toEqual([200, "0", ""]);
    });
  });

  describe("under a condition", () => {
    test("are not sent again to a client that has them", async () => {
      const first = await get(note.url);
      expect(first.headers.get("etag")).toBe(etag());
      for (const tag of [etag(), `W/${etag()}`, `"other", ${etag()}`, "*", ` ${etag()} `]) {
        const response = await get(note.url, { "if-none-match": tag, range: "bytes=0-1" });
        expect([tag, response.status, response.headers.get("etag"), await response.text()]).toEqual([
          tag,
          304,
          etag(),
          "",
        ]);
      }
      for (const tag of ['"other"', note.sha256, "", `"${note.sha256}x"`])
        expect([tag, (await get(note.url, { "if-none-match": tag })).status]).toEqual([tag, 200]);
    });

    test("have a different ETag for each variant", async () => {
      const thumb = (await get(image.thumb_url)).headers.get("etag");
      const script = (await get(bundle.bundle_url?.replace("index.html", "js/a.js"))).headers.get("etag");
      const tags = [`"${image.sha256}"`, thumb, (await get(bundle.bundle_url)).headers.get("etag"), script];
      expect(new Set(tags).size).toBe(4);
    });
  });

  test("are not read from the store for HEAD", async () => {
    let reads = 0;
    const counting = (store: Store): Store => ({
      ...store,
      get(...args) {
        reads++;
        return store.get(...args);
      },
    });
    Object.assign(library.ctx, { store: owned(counting(library.store), library.ctx.data) });
    for (const url of [note.url, image.thumb_url, bundle.bundle_url]) {
      const [head, part] = [await get(url, {}, "HEAD"), await get(url, { range: "bytes=2-5" }, "HEAD")];
      expect([
        head.status,
        await head.text(),
        part.status,
        part.headers.get("content-length"),
        reads,
      ]).toEqual([200, "", 206, "4", 0]);
      const whole = await get(url);
      expect([...head.headers].sort()).toEqual([...whole.headers].sort());
      expect(String((await whole.arrayBuffer()).byteLength)).toBe(must(head.headers.get("content-length")));
      reads = 0;
    }
    expect((await get(must(note.url).replace(/[^/]+\/[^/]+$/, "1-x/note.txt"), {}, "HEAD")).status).toBe(403);
    Object.assign(library.ctx, { store: owned(library.store, library.ctx.data) });
  });

  test("support only GET and HEAD", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const response = await get(note.url, {}, method);
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "GET, HEAD"]);
    }
  });

  /** Makes a stored object exist but fail on read. */
  async function spoil(key: string): Promise<void> {
    library.s3?.fault(403, (request) => request.method === "GET" && request.key.endsWith(key));
    if (library.s3) return;
    const path = join(must(library.env.SVC_DATA_DIR), "assets-local/private", key);
    await rm(path);
    await mkdir(path);
  }

  test.each([
    ["lost", async (key: string) => library.store.delete(key), { disk: 404, bucket: 404 }, "missing files"],
    [
      "that nobody can read",
      spoil,
      { disk: 404, bucket: 503 },
      place === "disk" ? "missing files" : "unreadable files",
    ],
  ])(
    "%s are a problem document at their URL, their rows stay readable, and doctor reports them",
    async (bytes, damage, refused, what) => {
      const asset = await library.plant({ bytes, issue: bytes.length });
      const key = must(asset.key);
      await damage(key);
      const { status, body } = await library.say<AssetDetail>(`/assets/${asset.id}`);
      const answer = await get(body.url);
      expect([status, answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        refused[place],
        "application/problem+json",
      ]);
      expect((await library.say(`/assets?issue=${bytes.length}`)).body).toMatchObject({
        count: 1,
        assets: [{ id: asset.id }],
      });
      const found = await checkFiles(library.ctx, { deep: true });
      expect(found.filter(({ detail }) => detail.includes(key))).toEqual([
        { what, level: "error", detail: expect.any(String) },
      ]);
      library.s3?.heal();
      await library.ctx.data.atomically((writes) => writes.changeAsset(asset.id, { key: null }));
    },
  );
});
