/** A bucket that misbehaves, and a slow sender. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMicros } from "../../src/core/lib/time.ts";
import { hashObject } from "../../src/files/stores/objects.ts";
import { defaultTimeouts } from "../../src/files/stores/s3/location.ts";
import { s3Store } from "../../src/files/stores/s3/store.ts";
import { cleanUpAssets } from "../../src/library/assets/cleanup/retention.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import { assetRowsOf, must, owned, scaled, until } from "../support/harness.ts";
import { file, type Library, openLibrary } from "../support/library.ts";
import type { Fault, RecordedCall } from "../support/stores/s3-server.ts";
import { bytesOf } from "../support/stores/store-sources.ts";
import { scale } from "./promises.ts";

/** As patient as a deployment is, or, where that takes too long, a tenth of it. */
const share = scaled(0.1, 1);
const patience = {
  responseMs: defaultTimeouts.responseMs * share,
  followUpMs: defaultTimeouts.followUpMs * share,
  retryMs: defaultTimeouts.retryMs * share,
} satisfies Partial<typeof defaultTimeouts>;
const answerMsMax = 10_000;

describe.skipIf(!!process.env.SVC_TEST_S3_ENDPOINT)("a bucket that misbehaves", () => {
  let library: Library;
  let approved: Asset;
  let bytes: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "bucket");
    const { place } = must(library.s3);
    const storeAt = (name: string) =>
      s3Store({
        ...place,
        prefix: `${place.prefix}/${name}`,
        now: () => new Date(library.clock.now() / 1000),
        timeouts: patience,
      });
    Object.assign(library.ctx, {
      store: owned(storeAt("private"), library.ctx.data),
      publicStore: owned(storeAt("public"), library.ctx.data),
    });
    bytes = Uint8Array.from(bytesOf(20_000));
    approved = (await library.upload({ project: "atlas" }, file("a.bin", bytes))).body;
    await library.review(approved.id, { decision: "approved" });
  });
  afterAll(() => library.close());

  /** Within the time that clients expect, and without delaying requests that need no file. */
  async function answered<T>(work: () => Promise<T>): Promise<T> {
    const token = await library.mint(["feed:read"]);
    const begun = performance.now();
    const [result] = await Promise.all([
      work(),
      library.ask("/api/v1/feed", { token }).then(({ status }) => expect(status).toBe(200)),
    ]);
    expect(performance.now() - begun).toBeLessThan(answerMsMax);
    return result;
  }
  const titles = async () => (await assetRowsOf(library.ctx.data)).map(({ title }) => title);

  /** Small, only the faults of which each is another story, in every call. */
  const faults: Fault[] = scaled(
    ["hang", "reset", "slow", "page", "pretend", "wrong size", 503],
    [
      "hang",
      "reset",
      "reset after",
      "short",
      "stall",
      "slow",
      "page",
      "pretend",
      "wrong size",
      403,
      500,
      503,
    ],
  );
  type Pick = [string, (call: RecordedCall) => boolean];
  const everyCall: Pick = ["every call", () => true];
  const picks: Pick[] =
    scale === "full"
      ? [
          everyCall,
          ["what reads", ({ method }) => method === "GET" || method === "HEAD"],
          ["what writes", ({ method }) => method === "PUT" || method === "POST"],
          ["what deletes", ({ method }) => method === "DELETE"],
        ]
      : [everyCall];
  test.each(faults.flatMap((fault) => picks.map(([what, pick]) => [fault, what, pick] as const)))(
    "(%p, in %s) creates no row without its file, delays no other request, and leaves no trace once it is over",
    async (fault, what, pick) => {
      const title = `${fault} ${what}`;
      const s3 = must(library.s3);
      const reserved = (await library.presign({ title: `${title}, reserved` })).body;
      expect((await library.put(reserved, bytes)).status).toBe(200);
      s3.fault(fault, pick);
      const uploaded = await answered(() =>
        library.upload({ project: "atlas", title }, file("a.bin", bytes)),
      );
      const finalized = await answered(() => library.finalize(reserved));
      const viewed = await answered(async () => {
        const response = await library.fetch((await library.say(`/assets/${approved.id}`)).body.url);
        const got = await response.bytes().catch(() => null);
        return { status: response.status, isWhole: got !== null && Buffer.from(got).equals(bytes) };
      });
      const published = await answered(() => library.publish(approved.id));
      s3.heal();
      for (const { status } of [uploaded, finalized])
        expect([title, status === 201 || status >= 500]).toEqual([title, true]);
      expect((await titles()).includes(title)).toBe(uploaded.status === 201);
      expect((await titles()).includes(`${title}, reserved`)).toBe(finalized.status === 201);
      if (viewed.status === 200)
        expect([title, viewed.isWhole || fault === "short" || fault === "stall" || fault === "slow"]).toEqual(
          [title, true],
        );
      else expect([title, viewed.status]).toEqual([title, 503]);
      expect([title, published.status === 200 || published.status >= 500]).toEqual([title, true]);

      if (uploaded.status !== 201)
        expect((await library.upload({ project: "atlas", title }, file("a.bin", bytes))).status).toBe(201);
      if (finalized.status !== 201)
        expect([title, (await library.finalize(reserved)).status]).toEqual([title, 201]);
    },
  );

  test("has kept the bytes of every row", async () => {
    for (const row of await assetRowsOf(library.ctx.data))
      expect(await hashObject(library.store, must(row.key))).toEqual({ size: row.size, sha256: row.sha256 });
  });

  test("leaves nothing that the sweep does not find", async () => {
    const ids = (await library.ctx.data.assets(null, { limit: 1000 })).map(({ id }) => id);
    expect((await library.publish(approved.id)).status).toBe(200);
    library.clock.advance(2 * dayMicros);
    await cleanUpAssets(library.ctx);
    const own = (key: string) => ids.some((id) => key.startsWith(`atlas/${id}/`));
    expect((await library.keys()).filter((key) => !own(key))).toEqual([]);
    expect(await library.keys(library.publicStore)).toEqual([`atlas/${approved.id}/a.bin`]);
    expect(must(library.s3).unfinished()).toBe(0);
  });
});

describe("a sender", () => {
  let library: Library;
  let origin: string;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk");
    origin = library.listen();
  });
  afterAll(() => library.close());

  /** A form whose file arrives in chunks of a given size, at a given interval in milliseconds. */
  const send = (bytes: number, everyMs: number, pieces: number) => {
    const head = ["project", 'file"; filename="a.bin'].map(
      (name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`,
    );
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(`${head[0]}atlas\r\n${head[1]}`));
        for (let piece = 0; piece < pieces; piece++) {
          controller.enqueue(new Uint8Array(bytes));
          await Bun.sleep(everyMs);
        }
        controller.enqueue(Buffer.from("\r\n--b--\r\n"));
        controller.close();
      },
    });
    const headers = {
      authorization: `Bearer ${library.token}`,
      "content-type": "multipart/form-data; boundary=b",
    };
    return fetch(`${origin}/api/v1/assets`, { method: "POST", headers, body });
  };

  const seconds = scaled(1, 60);
  test(`of 50 KB a second is heard to its end, be it ${seconds} seconds away`, async () => {
    const response = await send(5_000, 100, seconds * 10);
    expect([response.status, ((await response.json()) as Asset).size]).toEqual([201, seconds * 50_000]);
  });

  test.skipIf(scaled(true, false))("of a byte a second is heard for half a minute", async () => {
    const begun = performance.now();
    const response = await send(1, 1_000, 120);
    expect(response.status).toBe(400);
    expect(performance.now() - begun).toBeLessThan(60_000);
    await until(
      async () => (await library.keys()).every((key) => key.startsWith("atlas/")),
      "nothing of it is kept",
    );
  });
});
