/** Serving files: ranges, conditional requests, names, security headers and signed URLs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Asset, AssetDetail } from "../../src/assets/schema.ts";
import { checkFiles } from "../../src/doctor/files.ts";
import { secondMicros } from "../../src/lib/time.ts";
import { isKey } from "../../src/stores/keys.ts";
import type { Store } from "../../src/stores/store.ts";
import { must, owned, until } from "../support/harness.ts";
import { combinations, file, type Library, openLibrary, pathOf } from "../support/library.ts";
import { png, svg, zip } from "../support/media.ts";

const text = "0123456789".repeat(100);
const html = "<!doctype html><title>x</title><script type=module src=js/a.js></script>";
const pages = [
  { name: "site/index.html", data: html },
  { name: "site/js/a.js", data: "import './b.mjs'" },
  { name: "site/js/b.mjs", data: "1" },
  { name: "site/Zoë's font.woff2", data: "font" },
];
const inert = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "cross-origin",
};

/** Selected headers of a response. */
const fieldsOf = (response: Response, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));

describe.each(combinations)("bytes of $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let note: Asset;
  let image: Asset;
  let page: Asset;
  let bundle: Asset;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
    const plant = async (said: Parameters<Library["plant"]>[0]) =>
      (await library.say(`/assets/${(await library.plant(said)).id}`)).body;
    note = await plant({ bytes: text });
    const uploads = [
      file("a.png", Buffer.from(png(600, 400))),
      file("page.html", html),
      file("site.zip", Buffer.from(zip(pages))),
    ];
    [image, page, bundle] = (await Promise.all(
      uploads.map(async (sent) => (await library.upload({ project: "atlas" }, sent)).body),
    )) as [Asset, Asset, Asset];
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
    library.s3?.fault(403, (asked) => asked.method === "GET" && asked.key.endsWith(key));
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

  test("are sent with security headers", async () => {
    const names = [
      "content-type",
      "content-disposition",
      "content-security-policy",
      ...Object.keys(inert),
      "access-control-allow-origin",
    ];
    const still = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:";
    const drawing = (await library.upload({ project: "atlas" }, file("a.svg", svg))).body;
    const other = (await library.upload({ project: "atlas" }, file("a.exe", "MZ\0\u0001"))).body;
    const shown: [Asset["url"], string, string][] = [
      [note.url, "text/plain; charset=utf-8", "inline; filename=\"note.txt\"; filename*=UTF-8''note.txt"],
      [image.url, "image/png", "inline; filename=\"a.png\"; filename*=UTF-8''a.png"],
      [image.thumb_url, "image/webp", "inline; filename=\"thumb.webp\"; filename*=UTF-8''thumb.webp"],
      [drawing.url, "image/svg+xml", "inline; filename=\"a.svg\"; filename*=UTF-8''a.svg"],
      [
        page.url,
        "text/html; charset=utf-8",
        "attachment; filename=\"page.html\"; filename*=UTF-8''page.html",
      ],
      [bundle.url, "application/zip", "attachment; filename=\"site.zip\"; filename*=UTF-8''site.zip"],
      [other.url, other.mime, "attachment; filename=\"a.exe\"; filename*=UTF-8''a.exe"],
    ];
    for (const [url, type, disposition] of shown)
      expect(fieldsOf(await get(url), names)).toEqual({
        ...{
          "content-type": type,
          "content-disposition": disposition,
          "content-security-policy": still,
          ...inert,
        },
        "access-control-allow-origin": null,
      });
    const response = await get(note.url);
    const left =
      Number(/\/(\d+)-/.exec(must(note.url))?.[1]) - Math.floor(library.clock.now() / secondMicros);
    expect(response.headers.get("cache-control")).toBe(`private, max-age=${left}, immutable`);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  describe("of a page", () => {
    const policyOf = (url: string) => {
      const prefix = url.replace(/(\/[^/]+\/\d+-[\w-]+\/).*/, "$1");
      return `sandbox allow-scripts; default-src ${prefix} 'unsafe-inline' 'unsafe-eval' data: blob:; form-action 'none'; base-uri 'none'; frame-src 'none'; worker-src blob:`;
    };

    test("run in an opaque origin that can load only its own files", async () => {
      const names = [
        "content-type",
        "content-disposition",
        "content-security-policy",
        ...Object.keys(inert),
        "access-control-allow-origin",
      ];
      const index = must(bundle.bundle_url);
      const files: [string, string, string, string][] = [
        [must(page.bundle_url), "text/html; charset=utf-8", "page.html", html],
        [index, "text/html; charset=utf-8", "index.html", html],
        [
          index.replace("index.html", "js/a.js"),
          "text/javascript; charset=utf-8",
          "a.js",
          "import './b.mjs'",
        ],
        [index.replace("index.html", "js/b.mjs"), "text/javascript; charset=utf-8", "b.mjs", "1"],
      ];
      for (const [url, type, name, body] of files) {
        const response = await get(url);
        expect(fieldsOf(response, names)).toEqual({
          ...{
            "content-type": type,
            "content-disposition": `inline; filename="${name}"; filename*=UTF-8''${name}`,
            ...inert,
          },
          ...{ "content-security-policy": policyOf(url), "access-control-allow-origin": "*" },
        });
        expect(await response.text()).toBe(body);
      }
      const font = await get(index.replace("index.html", encodeURIComponent("Zoë's font.woff2")));
      expect(fieldsOf(font, ["content-type", "content-disposition"])).toEqual({
        "content-type": "font/woff2",
        "content-disposition":
          "inline; filename=\"Zo_'s font.woff2\"; filename*=UTF-8''Zo%C3%AB%27s%20font.woff2",
      });
    });

    test("end where their folder ends", async () => {
      const index = must(bundle.bundle_url);
      const out = [
        "",
        "..",
        "../index.html",
        "%2e%2e/index.html",
        "..%2f..%2fthumb.webp",
        "..%5cindex.html",
        "//index.html",
        "js",
        "js/",
        "no.html",
        "index.html/",
        "%00",
        "%zz",
        "a%0d%0ab",
        "__proto__",
        `..%2f..%2f..%2fatlas%2f${note.id}%2fnote.txt`,
      ];
      for (const path of out) {
        const response = await library.ask(pathOf(index).replace("index.html", path));
        expect([path, [403, 404].includes(response.status)]).toEqual([path, true]);
        expect(await response.text()).not.toContain("<!doctype");
      }
      expect((await get(must(page.bundle_url).replace("page.html", "index.html"))).status).toBe(404);
    });
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
      library.clock.advance(1);
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

  test("that are published are public, immutable and sent with the same security headers", async () => {
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
      ...{ "cache-control": "public, max-age=31536000, immutable", etag: `"${image.sha256}"` },
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

  test("release their resources if the client does not read to the end", async () => {
    const { id } = await library.plant({ bytes: "x".repeat(3_000_000) });
    const { url } = (await library.say(`/assets/${id}`)).body;
    const origin = library.listen();
    const read = async () => {
      const gone = new AbortController();
      const response = await fetch(origin + pathOf(must(url)), { signal: gone.signal });
      await response.body?.getReader().read();
      gone.abort();
    };
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 5 }, read));
    const { s3 } = library;
    if (s3) await until(() => s3.connections() < 10, "the store's connections are free");
    expect((await (await fetch(origin + pathOf(must(url)))).bytes()).length).toBe(3_000_000);
    expect((await (await fetch(`${origin}/healthz`)).json()) as object).toEqual({ status: "ok" });
  });
});

test("with SVC_CONTENT_URL, files are served from there and pages of the site can read them", async () => {
  await using library = await openLibrary("sqlite", "disk", { SVC_CONTENT_URL: "https://content.example" });
  const { id } = await library.plant({ bytes: "x" });
  const { url } = (await library.say(`/assets/${id}`)).body;
  expect(url).toStartWith("https://content.example/api/assets/view/");
  expect((await library.presign({})).body.upload_url).toStartWith(
    "https://content.example/api/assets/upload/",
  );
  const response = await library.ask(pathOf(must(url)));
  expect(fieldsOf(response, ["access-control-allow-origin"])).toEqual({
    "access-control-allow-origin": "http://svc.test",
  });
  const page = (await library.upload({ project: "atlas" }, file("a.html", html))).body;
  expect((await library.ask(pathOf(must(page.bundle_url)))).headers.get("content-security-policy")).toContain(
    `default-src https://content.example/api/assets/bundle/${page.id}/`,
  );
  await library.review(id, { decision: "approved" });
  expect((await library.publish(id)).body.public_url).toBe(
    `https://content.example/media/atlas/${id}/note.txt`,
  );
});

/** File names that a hostile client could send. */
const names = [
  ...[
    "a\r\nSet-Cookie: x=y.png",
    "a\nb.png",
    "a\rb.png",
    "a\0.png",
    "a\0.exe\0.png",
    "\0",
    "a\u0001\u001f.png",
    "\u001b[31mred\u001b[0m.png",
  ],
  ...[
    "\u001b]52;c;ZWNobyBoaQ==\u0007.png",
    "\u009b31m.png",
    "a\u0008\u0008.png",
    "a\u007f.png",
    "a\u0085b.png",
    "a\u2028b\u2029c.png",
  ],
  ...[
    "photo\u202egnp.exe",
    "\u202dabc\u202c.png",
    "\u2066a\u2069.png",
    "\u200e\u200f.png",
    "a\u200bb.png",
    "\ufeffa.png",
    "a\u00adb.png",
  ],
  ...[
    "\u{e0041}\u{e0042}.png",
    "a\u061cb.png",
    "x".repeat(300),
    `${"x".repeat(65_536)}.png`,
    "é".repeat(500),
    "👩‍👩‍👧‍👦".repeat(60),
    "\u0301".repeat(400),
  ],
  ...[
    "CON",
    "con.png",
    "nul",
    "AUX.txt",
    "COM1",
    "lpt9.png",
    "NUL.tar.gz",
    ".",
    "..",
    "...",
    "/",
    "\\",
    "//",
    "../../etc/passwd",
    "..\\..\\boot.ini",
  ],
  ...[
    "/etc/passwd",
    "C:\\x.png",
    "\\\\host\\share\\x.png",
    "%2e%2e%2fx.png",
    "%00.png",
    "..%c0%af..",
    "a/../b.png",
    "a/b/c.png",
    "~/.ssh/id",
    ".htaccess",
  ],
  ...[
    "-rf",
    "--help",
    "a b.png",
    " a.png",
    "a.png ",
    "a.png.",
    "a..png",
    "a.PNG.exe",
    'a".png',
    'a"; filename="b.exe',
    "a'b.png",
    "a;b.png",
    "a,b.png",
  ],
  ...[
    "<script>alert(1)</script>.png",
    "a&b.png",
    "a<b>.png",
    "javascript:alert(1)",
    "data:text/html,x",
    "$(id).png",
    "`id`.png",
    "a|b.png",
    "*.png",
    "?.png",
  ],
  ...[
    "аpple.png",
    "\uff0e\uff0e\uff0fx.png",
    "\ud83d",
    "\udc00a.png",
    "Å.png",
    "A\u030a.png",
    "ﷺ.png",
    "__proto__",
    "constructor",
    "{{7*7}}.png",
    "=1+1.csv",
  ],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\0-\x1f\x7f-\x9f\u2028\u2029]/;
/** Bidi control characters. */
const turned = /[\u202a-\u202e\u2066-\u2069]/;

describe("a file name", () => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk");
    // Probing does not depend on the name, and is slow.
    library.ctx.probe = {
      ...library.ctx.probe,
      inspect: async () => ({
        mime: "text/plain",
        kind: "file",
        width: null,
        height: null,
        duration_ms: null,
      }),
    };
  });
  afterAll(() => library.close());

  /** A form from a client that escapes only the characters that would end the name. */
  const raw = (name: string) => {
    const form = Buffer.concat([
      Buffer.from(
        '--b\r\nContent-Disposition: form-data; name="project"\r\n\r\natlas\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="',
      ),
      ...[
        Buffer.from(name.replaceAll('"', "%22").replace(/[\r\n]+/g, "%0D%0A")),
        Buffer.from('"\r\n\r\nx\r\n--b--\r\n'),
      ],
    ]);
    return library.say("/assets", {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: form,
    });
  };

  test(`of any of ${names.length} hostile forms is safe in a key, an address, a header and a title`, async () => {
    expect(names.length).toBeGreaterThanOrEqual(78);
    for (const name of names) {
      const answers = [await library.upload({ project: "atlas" }, new File(["x"], name)), await raw(name)];
      if (name.length > 16_384) {
        expect(answers.map(({ status }) => status)).toEqual([400, 400]);
        continue;
      }
      for (const { status, body } of answers) {
        expect([name, status]).toEqual([name, 201]);
        const row = must(await library.ctx.data.asset(null, body.id));
        expect([
          name,
          isKey(must(row.key)),
          /^atlas\/[0-9A-Z]{26}\/[\w.-]{1,255}$/.test(must(row.key)),
        ]).toEqual([name, true, true]);
        expect(Buffer.byteLength(body.title)).toBeLessThanOrEqual(200);
        expect([name, control.test(body.title), turned.test(body.title)]).toEqual([name, false, false]);
        const response = await library.fetch(body.url);
        const disposition = must(response.headers.get("content-disposition"));
        expect([name, response.status, disposition]).toEqual([
          name,
          200,
          expect.stringMatching(/^inline; filename="[\w.-]+"; filename\*=UTF-8''[\w.-]+$/),
        ]);
        expect([...response.headers.keys()]).not.toContain("set-cookie");
      }
    }
  });

  test("of a reserved upload is as safe, or refused", async () => {
    for (const filename of names) {
      const { status, body } = await library.presign({ filename });
      const isRefused =
        control.test(filename) ||
        Buffer.byteLength(filename.normalize("NFC")) > 255 ||
        !filename.isWellFormed();
      expect([filename, status]).toEqual([filename, isRefused ? 400 : 201]);
      if (!isRefused) expect(body.key).toMatch(/^atlas\/[0-9A-Z]{26}\/[\w.-]{1,255}$/);
    }
  });
});
