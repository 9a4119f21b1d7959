/** A resumable upload through a bucket that fails: a short fault goes unnoticed, a longer one loses nothing. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { must, owned } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { type Fault, partBytesMin, type RecordedCall } from "../../support/stores/s3-server.ts";
import { bytesOf, MiB, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

/** The first piece takes several parts, the last one a single PUT. */
const pieceEnds = [3 * partBytesMin + 200_000, 3 * partBytesMin + 300_000];
const bytes = bytesOf(must(pieceEnds[1]));
const steps: [name: string, picks: (call: RecordedCall) => boolean][] = [
  ["beginning a piece", ({ method, query }) => method === "POST" && query.has("uploads")],
  ["storing a part", ({ method, query }) => method === "PUT" && query.has("partNumber")],
  ["completing a piece", ({ method, query }) => method === "POST" && query.has("uploadId")],
  ["storing a small piece", ({ method, query }) => method === "PUT" && !query.has("partNumber")],
  ["checking a piece", ({ method }) => method === "HEAD"],
];

describe("a bucket that fails while it is", () => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "bucket");
  });
  afterAll(() => library.close());
  afterEach(() => must(library.s3).heal());

  const begin = async () => {
    const tus = tusRequests(library);
    const { reserved, url } = await tus.begin(bytes.length);
    /** Sends the pieces that are missing, until one fails. */
    const send = async () => {
      let response: Response | undefined;
      for (let offset = await tus.offsetAt(url); offset < bytes.length; offset = await tus.offsetAt(url)) {
        const end = must(pieceEnds.find((one) => one > offset));
        response = await tus.patch(url, offset, new Uint8Array(bytes.subarray(offset, end)));
        if (!response.ok) break;
      }
      return must(response);
    };
    const finish = async () => {
      expect(await tus.offsetAt(url)).toBe(bytes.length);
      expect((await library.finalize(reserved)).body).toMatchObject(writtenOf(bytes));
    };
    return { send, finish, offset: () => tus.offsetAt(url) };
  };

  const brief: [name: string, fault: Fault, times: number][] = [
    ["busy twice", 503, 2],
    ["cut off before its answer", "reset", 1],
    ["cut off after its work", "reset after", 1],
  ];
  for (const [step, picks] of steps) {
    test.each(brief)(`${step}, %s, is asked again`, async (_, fault, times) => {
      const { send, finish } = await begin();
      must(library.s3).fault(fault, picks, times);
      expect((await send()).status).toBe(204);
      await finish();
    });

    test(`${step}, and does not answer, is a 503 that keeps what is stored`, async () => {
      const { store } = library.ctx;
      const { place } = must(library.s3);
      const { send, finish, offset } = await begin();
      const prefix = `${place.prefix}/private`;
      const hasty = s3Store({ ...place, prefix, timeouts: { responseMs: 1000, followUpMs: 500 } });
      library.ctx.store = owned(hasty, library.ctx.data);
      must(library.s3).fault("hang", picks);
      const failed = await send();
      expect([failed.status, failed.headers.get("retry-after")]).toEqual([503, "2"]);
      must(library.s3).heal();
      library.ctx.store = store;
      expect(await offset()).toBe(/small piece/.test(step) ? must(pieceEnds[0]) : 0);
      expect((await send()).status).toBe(204);
      await finish();
    });
  }

  test("storing the end of a long request keeps the first 16 MiB of it", async () => {
    const long = bytesOf(16 * MiB + 100_000);
    const tus = tusRequests(library);
    const { url } = await tus.begin(long.length);
    must(library.s3).fault(403, ({ method, query }) => method === "PUT" && !query.has("partNumber"));
    expect((await tus.patch(url, 0, new Uint8Array(long))).status).toBe(503);
    expect(await tus.offsetAt(url)).toBe(16 * MiB);
  });

  test("slow to tell of a piece is waited for", async () => {
    const { send, finish } = await begin();
    const { store } = library.ctx;
    const { place } = must(library.s3);
    const prefix = `${place.prefix}/private`;
    library.ctx.store = owned(
      s3Store({ ...place, prefix, timeouts: { responseMs: 30_000, followUpMs: 500 } }),
      library.ctx.data,
    );
    must(library.s3).fault("late", ({ method }) => method === "HEAD", 1);
    expect((await send()).status).toBe(204);
    library.ctx.store = store;
    await finish();
  });
});
