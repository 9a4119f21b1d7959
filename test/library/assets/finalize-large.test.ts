/** Finalizing a file that takes the store long: the work continues, and the next call finds its result. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { storingUploads } from "../../../src/library/assets/upload/stored-upload.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { dialects, must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { bytesOf, writtenOf } from "../../support/stores/store-sources.ts";

const { waitMs } = storingUploads;
const bytes = bytesOf(30_000);

describe.each(dialects)("finalizing a large file on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, "bucket");
  });
  afterAll(() => library.close());
  afterEach(() => {
    storingUploads.waitMs = waitMs;
    must(library.s3).heal();
  });

  test.each(["in one PUT", "by tus"])("that was sent %s is a 503 until it is stored", async (way) => {
    const tus = tusRequests(library);
    const reserved =
      way === "by tus" ? (await tus.begin(bytes.length)).reserved : (await library.presign({})).body;
    if (way === "by tus")
      for (const [at, end] of [
        [0, 9],
        [9, bytes.length],
      ] as const)
        await tus.patch(reserved.resumable_url, at, new Uint8Array(bytes.subarray(at, end)));
    else await library.put(reserved, new Uint8Array(bytes));
    const reads = () =>
      must(library.s3).requests.filter(
        (request) => request.startsWith("GET") && request.includes(reserved.id),
      );
    must(library.s3).fault("slow", ({ method }) => method === "GET");
    storingUploads.waitMs = 1;
    const first = await library.finalize(reserved);
    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "2"]);
    storingUploads.waitMs = 60_000;
    const second = await library.finalize(reserved);
    expect<unknown>([second.status, second.body]).toMatchObject([201, writtenOf(bytes)]);
    const read = reads().filter((request) => /_(pending|segments)\//.test(request));
    expect(read.length).toBe(new Set(read).size); // nothing was stored twice
  });

  test("after a restore finds the file where the backup had it", async () => {
    const reserved = (await library.presign({})).body;
    await library.put(reserved, "some words");
    await library.ctx.data.atomically(async (writes) => {
      await writes.finishUpload(reserved.id, writtenOf(Buffer.from("some words")));
    });
    expect((await library.finalize(reserved)).body).toMatchObject(writtenOf(Buffer.from("some words")));
  });

  test("of two calls makes one asset", async () => {
    const reserved = (await library.presign({})).body;
    await library.put(reserved, "some words");
    const statuses = (await Promise.all([library.finalize(reserved), library.finalize(reserved)])).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([201, 409]);
  });
});
