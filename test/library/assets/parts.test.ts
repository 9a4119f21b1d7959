/** Uploads in parts, straight to a bucket. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { cleanUpAssets } from "../../../src/library/assets/cleanup/retention.ts";
import type { UploadParts } from "../../../src/library/assets/upload/parts-schema.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { dialects, must, until } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { bytesOf, MiB, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

const size = 17 * MiB + 5;
const bytes = bytesOf(size);
type Part = UploadParts["parts"][number];

describe.each(dialects)("an upload in parts on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, "bucket", { SVC_UPLOAD_TTL: "600" });
  });
  afterAll(() => library.close());

  const reserve = async () => (await library.presign({ filename: "tour.bin" })).body;
  const request = (id: string, length = size) =>
    library.say<UploadParts>(`/assets/${id}/parts`, { json: { size: length } });
  const send = async ({ url, offset, size }: Part, content: Uint8Array = bytes) => {
    const body = new Uint8Array(content.subarray(offset, offset + size));
    return (await fetch(url, { method: "PUT", body })).status;
  };
  const unfinished = () => must(library.s3).unfinished();

  test("is sent to the bucket alone, and becomes the reserved asset", async () => {
    const reserved = await reserve();
    expect(reserved.parts_url).toBe(`http://svc.test/api/v1/assets/${reserved.id}/parts`);
    const { status, body } = await request(reserved.id);
    expect([status, body.part_bytes, body.missing]).toEqual([200, 16 * MiB, 2]);
    expect(body.parts.map(({ number, offset, size }) => [number, offset, size])).toEqual([
      [1, 0, 16 * MiB],
      [2, 16 * MiB, MiB + 5],
    ]);
    for (const part of body.parts.toReversed()) expect(await send(part)).toBe(200);
    expect((await request(reserved.id)).body).toMatchObject({ missing: 0, parts: [] });
    const finalized = await library.finalize(reserved);
    expect<unknown>([finalized.status, finalized.body]).toMatchObject([201, writtenOf(bytes)]);
    expect(await (await library.fetch(finalized.body.url)).bytes()).toEqual(new Uint8Array(bytes));
    expect((await request(reserved.id)).status).toBe(409);
    await library.settled();
    expect(unfinished()).toBe(0);
  });

  test("continues with the parts that have not arrived, or not as a whole", async () => {
    const reserved = await reserve();
    const [one, two] = (await request(reserved.id)).body.parts as [Part, Part];
    expect(await send(two)).toBe(200);
    expect(await send({ ...one, size: 1000 })).toBe(403);
    expect(await send({ ...one, size: one.size + 1 })).toBe(403);
    const refused = await library.finalize(reserved);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      "Only 1 of 2 parts were uploaded. Send the others, then finalize.",
    ]);
    const { body } = await request(reserved.id);
    expect(body.parts.map(({ number }) => number)).toEqual([1]);
    for (const part of [...body.parts, two]) expect(await send(part)).toBe(200);
    expect((await library.finalize(reserved)).body).toMatchObject(writtenOf(bytes));
  });

  test("cannot be changed once it is finalized", async () => {
    const reserved = await reserve();
    const { parts } = (await request(reserved.id)).body;
    for (const part of parts) await send(part);
    const { body } = await library.finalize(reserved);
    for (const part of parts) expect(await send(part, Buffer.alloc(size))).toBe(404);
    expect((await library.put(reserved, "something else")).status).toBe(200);
    expect(writtenOf(await (await library.fetch(body.url)).bytes())).toEqual(writtenOf(bytes));
  });

  test("is finalized again after the server died in between", async () => {
    const [before, reserved] = [unfinished(), await reserve()];
    for (const part of (await request(reserved.id)).body.parts) await send(part);
    must(library.s3).fault(
      503,
      ({ method, key, query }) => method === "GET" && key.endsWith(reserved.key) && !query.has("uploadId"),
      3,
    );
    expect((await library.finalize(reserved)).status).toBe(503);
    expect(unfinished()).toBe(before);
    expect((await library.finalize(reserved)).body).toMatchObject(writtenOf(bytes));
  });

  test("of several requests at once is begun once", async () => {
    const reserved = await reserve();
    const before = unfinished();
    const answers = await Promise.all(Array.from({ length: 8 }, () => request(reserved.id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(
      new Set(answers.map(({ body }) => new URL(must(body.parts[0]).url).searchParams.get("uploadId"))).size,
    ).toBe(1);
    await until(() => unfinished() === before + 1, "the others are aborted");
  });

  test("refuses another size, a file over the limit, and another way to send it", async () => {
    const reserved = await reserve();
    expect((await request(reserved.id, 0)).status).toBe(400);
    expect((await request(reserved.id, library.ctx.config.uploadBytesMax + 1)).status).toBe(413);
    expect((await request(reserved.id)).status).toBe(200);
    expect((await request(reserved.id, size - 1)).status).toBe(409);
    const tus = tusRequests(library);
    expect((await tus.send("POST", reserved.resumable_url, { "upload-length": String(size) })).status).toBe(
      409,
    );
    expect((await tus.send("HEAD", reserved.resumable_url)).status).toBe(404);
    const { reserved: begun } = await tus.begin(size);
    expect((await request(begun.id)).status).toBe(409);
    expect((await request("01KJMMA2G04TRJQTGZ9SY6NSVZ")).status).toBe(404);
    const stranger = await library.mint(["assets:write"], { name: "stranger", projects: [] });
    const answer = await library.say(`/assets/${reserved.id}/parts`, { json: { size }, token: stranger });
    expect(answer.status).toBe(404);
  });

  test("can be canceled at its resumable URL", async () => {
    const [before, reserved] = [unfinished(), await reserve()];
    await send(must((await request(reserved.id)).body.parts[0]));
    expect((await tusRequests(library).send("DELETE", reserved.resumable_url)).status).toBe(204);
    expect(unfinished()).toBe(before);
    expect((await request(reserved.id)).status).toBe(404);
  });

  test("that is not finished survives cleanup until it expires, and is then aborted", async () => {
    const before = unfinished();
    const reserved = await reserve();
    const { parts } = (await request(reserved.id)).body;
    await send(must(parts[0]));
    library.clock.set(new Date(library.clock.now() / 1000 + 2 * 3_600_000).toISOString());
    await cleanUpAssets(library.ctx);
    const again = await request(reserved.id);
    expect([again.status, again.body.missing]).toEqual([200, 1]);
    expect(Date.parse(again.body.expires_at) - library.clock.now() / 1000).toBe(600_000);
    library.clock.set(new Date(library.clock.now() / 1000 + dayMicros / 1000).toISOString());
    expect((await request(reserved.id)).status).toBe(404);
    await cleanUpAssets(library.ctx);
    expect(unfinished()).toBeLessThanOrEqual(before);
    expect((await request(reserved.id)).status).toBe(404);
  });
});

test("an upload in parts to a disk is a 501 that names tus", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const { body: reserved } = await library.presign({ filename: "tour.bin" });
  expect(reserved.parts_url).toBeUndefined();
  const { status, body } = await library.say(`/assets/${reserved.id}/parts`, { json: { size } });
  expect([status, body.detail]).toEqual([
    501,
    "This store takes no parts. Send the file to resumable_url, by tus 1.0.",
  ]);
});
