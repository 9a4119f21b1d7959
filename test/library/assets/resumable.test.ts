/** Resumable uploads by tus 1.0, on every database with every kind of store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pieceType, tusRequests } from "../../support/assets/tus.ts";
import { sha256 } from "../../support/assets/upload-fields.ts";
import { must, until } from "../../support/harness.ts";
import { deployments, type Library, openLibrary, pathOf } from "../../support/library.ts";
import { bytesOf } from "../../support/stores/store-sources.ts";

const sizeMax = 40_000_000;
const bytes = bytesOf(300_000);

describe.each(deployments)("a resumable upload to $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let tus: ReturnType<typeof tusRequests>;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, { SVC_MAX_UPLOAD_BYTES: String(sizeMax) });
    tus = tusRequests(library);
  });
  afterAll(() => library.close());

  test("describes itself to OPTIONS, for pages of any origin", async () => {
    const { reserved } = await tus.begin(bytes.length);
    const { status, headers } = await library.ask(pathOf(reserved.resumable_url), {
      method: "OPTIONS",
      headers: { origin: "https://elsewhere.test", "access-control-request-method": "PATCH" },
    });
    expect([
      status,
      ...["version", "extension", "max-size"].map((name) => headers.get(`tus-${name}`)),
    ]).toEqual([
      204,
      "1.0.0",
      "creation,creation-with-upload,expiration,checksum,termination",
      String(sizeMax),
    ]);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(headers.get("access-control-expose-headers")).toContain("Upload-Offset");
  });

  test("begins at 0, grows with each PATCH, and becomes an asset with the right hash", async () => {
    const { reserved, response, url } = await tus.begin(bytes.length);
    expect([response.status, response.headers.get("upload-offset")]).toEqual([201, "0"]);
    expect(Date.parse(must(response.headers.get("upload-expires")))).toBeGreaterThan(
      library.clock.now() / 1000 + 86_000_000,
    );
    for (const [start, end] of [
      [0, 100_000],
      [100_000, 100_001],
      [100_001, 300_000],
    ] as const) {
      const sent = await tus.patch(url, start, bytes.slice(start, end));
      expect([sent.status, sent.headers.get("upload-offset")]).toEqual([204, String(end)]);
    }
    const head = await tus.send("HEAD", url);
    expect([head.status, head.headers.get("upload-length"), head.headers.get("cache-control")]).toEqual([
      200,
      "300000",
      "no-store",
    ]);
    const { status, body } = await library.finalize(reserved);
    expect([status, body.size, body.sha256]).toEqual([201, 300_000, sha256(bytes)]);
    expect(Buffer.from(await (await library.fetch(body.url)).arrayBuffer()).equals(bytes)).toBe(true);
    await library.settled();
    await until(async () => !(await library.keys()).some((key) => key.startsWith("_")), "no piece is left");
    expect((await tus.send("HEAD", url)).status).toBe(404);
  });

  test("takes the file with its creation, and an empty file", async () => {
    const reserved = (await library.presign({ filename: "a.txt" })).body;
    const sent = await tus.send(
      "POST",
      reserved.resumable_url,
      { ...pieceType, "upload-length": "10" },
      "some words",
    );
    expect([sent.status, sent.headers.get("upload-offset")]).toEqual([201, "10"]);
    expect((await library.finalize(reserved)).body.sha256).toBe(sha256("some words"));
    const empty = await tus.begin(0);
    expect((await library.finalize(empty.reserved)).body.size).toBe(0);
  });

  test("stores what arrived of a request that broke off", async () => {
    const { reserved, url } = await tus.begin(bytes.length);
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.slice(0, 70_000)),
      pull: (controller) => controller.error(new Error("the connection is cut")),
    });
    expect((await tus.patch(url, 0, broken)).status).toBe(400);
    expect(await tus.offsetAt(url)).toBe(70_000);
    expect((await library.finalize(reserved)).status).toBe(409);
    expect((await tus.patch(url, 70_000, bytes.slice(70_000))).status).toBe(204);
    expect((await library.finalize(reserved)).body.sha256).toBe(sha256(bytes));
  });

  test("ends a request whose connection hangs when the next one begins", async () => {
    const { url } = await tus.begin(bytes.length);
    const { promise: isRead, resolve } = Promise.withResolvers<void>();
    const hanging = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(bytes.slice(0, 1000)),
        pull() {
          resolve();
          return new Promise(() => {});
        },
      },
      { highWaterMark: 1 },
    );
    const first = tus.patch(url, 0, hanging);
    await isRead;
    expect(await tus.offsetAt(url)).toBe(1000);
    expect((await first).status).toBe(409);
    expect((await tus.patch(url, 1000, bytes.slice(1000, 2000))).status).toBe(204);
  });
});
