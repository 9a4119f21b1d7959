/** Compression of JSON and text, as clients accept it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { link, must } from "../../support/harness.ts";
import { file, type Library, openLibrary } from "../../support/library.ts";

let library: Library;
let token: string;
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
  for (let number = 0; number < 20; number++) await link(library.ctx.data, `project-${number}`);
  token = await library.mint(["feed:read"], { name: "reader" });
});
afterAll(() => library.close());

const ask = (path: string, encodings: string, init: RequestInit = {}) =>
  library.ask(path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, "accept-encoding": encodings, ...init.headers },
  });

test("JSON and text of more than 1 KB are compressed as the client accepts, the best coding first", async () => {
  for (const path of ["/openapi.json", "/api/v1/projects", "/api/v1/projects?limit=15", "/llms.txt"]) {
    const plain = await ask(path, "identity");
    const text = await plain.text();
    expect([path, plain.headers.get("content-encoding"), text.length > 1024]).toEqual([path, null, true]);
    for (const [accepted, coding, decode] of [
      ["gzip, deflate, br, zstd", "zstd", Bun.zstdDecompressSync],
      ["gzip, br, zstd;q=0", "gzip", Bun.gunzipSync],
      ["identity;q=0, *", "gzip", Bun.gunzipSync],
    ] as const) {
      const packed = await ask(path, accepted);
      const { headers } = packed;
      expect([path, headers.get("content-encoding"), headers.get("vary")]).toEqual([
        path,
        coding,
        must(plain.headers.get("vary")),
      ]);
      const bytes = await packed.bytes();
      expect(Buffer.from(decode(bytes)).toString()).toBe(text);
      const head = await ask(path, accepted, { method: "HEAD" });
      expect([head.headers.get("content-encoding"), head.headers.get("content-length")]).toEqual([
        coding,
        String(bytes.length),
      ]);
      const etag = must(headers.get("etag"));
      expect(etag).toStartWith("W/");
      expect((await ask(path, accepted, { headers: { "if-none-match": etag } })).status).toBe(304);
    }
  }
});

test.each(["gzip;q=0, *", "*;q=0", "br, deflate", "gzip; q=0.000"])(
  "%s accepts no coding that svc has",
  async (accepted) => {
    expect((await ask("/openapi.json", accepted)).headers.get("content-encoding")).toBeNull();
  },
);

test("short JSON, ranges of files, and streams are not", async () => {
  const { url } = (await library.upload({ project: "atlas" }, file("a.txt", "word ".repeat(1000)))).body;
  const path = new URL(must(url)).pathname;
  const stopped = new AbortController();
  const answers = [
    await ask("/api/v1/projects?limit=1", "gzip"),
    await ask(path, "gzip"),
    await ask(path, "gzip", { headers: { range: "bytes=0-1999" } }),
    await ask("/api/v1/feed/stream", "gzip", { signal: stopped.signal }),
  ];
  expect(answers.map(({ status, headers }) => [status, headers.get("content-encoding")])).toEqual([
    [200, null],
    [200, null],
    [206, null],
    [200, null],
  ]);
  expect(await must(answers[2]).text()).toHaveLength(2000);
  stopped.abort();
});
