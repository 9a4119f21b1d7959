/** The security headers of files and pages, and the separate content origin. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { png, svg, zip } from "../../support/assets/media.ts";
import { fieldsOf, html, pages, text } from "../../support/assets/served-files.ts";
import { must, until } from "../../support/harness.ts";
import { deployments, file, type Library, openLibrary, pathOf } from "../../support/library.ts";

const inert = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "cross-origin",
};

describe.each(deployments)("bytes of $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let note: Asset;
  let image: Asset;
  let page: Asset;
  let bundle: Asset;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
    const plant = async (fields: Parameters<Library["plant"]>[0]) =>
      (await library.say(`/assets/${(await library.plant(fields)).id}`)).body;
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
      [image.thumb_url, "image/jpeg", "inline; filename=\"thumb.jpg\"; filename*=UTF-8''thumb.jpg"],
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
