/** What resumable uploads refuse, and how they end, on every database with every kind of store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMicros, secondMicros } from "../../../src/core/lib/time.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { deployments, type Library, openLibrary } from "../../support/library.ts";
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

  test("continues when POST is repeated, and refuses another length", async () => {
    const { reserved, url } = await tus.begin(bytes.length);
    await tus.patch(url, 0, bytes.slice(0, 1000));
    const again = await tus.send("POST", reserved.resumable_url, { "upload-length": "300000" });
    expect([again.status, again.headers.get("upload-offset")]).toEqual([201, "1000"]);
    expect((await tus.send("POST", reserved.resumable_url, { "upload-length": "5" })).status).toBe(409);
  });

  test("lets one of two requests at the same offset win", async () => {
    const { url } = await tus.begin(bytes.length);
    const both = await Promise.all([
      tus.patch(url, 0, bytes.slice(0, 1000)),
      tus.patch(url, 0, bytes.slice(0, 1000)),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    expect(await tus.offsetAt(url)).toBe(1000);
  });

  test("takes a piece with a checksum as a whole or not at all", async () => {
    const { url } = await tus.begin(bytes.length);
    const piece = bytes.slice(0, 1000);
    const checksum = (algorithm: "sha1" | "sha256", of = piece) => ({
      "upload-checksum": `${algorithm} ${Bun.CryptoHasher.hash(algorithm, of, "base64")}`,
    });
    const wrong = await tus.patch(url, 0, piece, checksum("sha1", bytes.slice(1, 1001)));
    expect([wrong.status, await tus.offsetAt(url)]).toEqual([460, 0]);
    expect((await tus.patch(url, 0, piece, checksum("sha256"))).status).toBe(204);
    expect((await tus.patch(url, 1000, piece, { "upload-checksum": "crc7 AA==" })).status).toBe(400);
    expect(await tus.offsetAt(url)).toBe(1000);
  });

  test.each([
    [412, "without Tus-Resumable", { "tus-resumable": "" }],
    [415, "of another media type", { "content-type": "text/plain" }],
    [415, "of compressed bytes", { "content-encoding": "gzip" }],
    [400, "without an offset", { "upload-offset": "" }],
    [409, "at another offset", { "upload-offset": "7" }],
    [413, "beyond the announced length", { "content-length": "300001" }],
  ])("answers %d to a PATCH %s", async (status, _, headers) => {
    const { url } = await tus.begin(bytes.length);
    const response = await tus.patch(url, 0, bytes.slice(0, 10), headers);
    expect([response.status, response.headers.get("tus-resumable")]).toEqual([status, "1.0.0"]);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await tus.offsetAt(url)).toBe(0);
  });

  test("answers 413 to a file beyond the maximum, and to a body that goes beyond its length", async () => {
    const reserved = (await library.presign({ filename: "a.bin" })).body;
    const tooLarge = await tus.send("POST", reserved.resumable_url, { "upload-length": String(sizeMax + 1) });
    expect(tooLarge.status).toBe(413);
    const { url } = await tus.begin(1000);
    const chunked = new Blob([bytes.slice(0, 1001)]).stream();
    expect([(await tus.patch(url, 0, chunked)).status, await tus.offsetAt(url)]).toEqual([413, 0]);
  });

  test("is refused with 403 by another signature, and with 410 after it has expired", async () => {
    const { url } = await tus.begin(bytes.length);
    expect((await tus.send("HEAD", `${url.slice(0, -1)}${url.endsWith("A") ? "B" : "A"}`)).status).toBe(403);
    const before = new Date(library.clock.now() / 1000).toISOString();
    library.clock.advance(dayMicros + 3601 * secondMicros);
    expect((await tus.send("HEAD", url)).status).toBe(410);
    library.clock.set(before);
  });

  test("is not mixed with a PUT of the same reservation", async () => {
    const { reserved } = await tus.begin(10);
    const put = { "content-type": "application/octet-stream" };
    expect((await tus.send("PUT", reserved.resumable_url, put, "some words")).status).toBe(409);
  });

  test("is gone after DELETE, with its pieces", async () => {
    const { reserved, url } = await tus.begin(bytes.length);
    await tus.patch(url, 0, bytes.slice(0, 1000));
    expect((await tus.send("DELETE", url)).status).toBe(204);
    expect((await tus.send("HEAD", url)).status).toBe(404);
    expect((await library.finalize(reserved)).status).toBe(404);
    expect((await library.keys()).filter((key) => key.includes(reserved.id))).toEqual([]);
  });
});
