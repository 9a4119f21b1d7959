/** Limits of resumable uploads, and the cleanup of those that are never finished. */
import { describe, expect, test } from "bun:test";
import { dayMicros, secondMicros } from "../../../src/core/lib/time.ts";
import { cleanUpAssets } from "../../../src/library/assets/cleanup/retention.ts";
import { openUploadsMax } from "../../../src/library/assets/upload/resumable.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { must } from "../../support/harness.ts";
import { deployments, openLibrary } from "../../support/library.ts";

describe.each(deployments)("resumable uploads to $dialect and $place", ({ dialect, place }) => {
  test("that are never finished are deleted with their pieces a day after they expire", async () => {
    await using library = await openLibrary(dialect, place, { SVC_UPLOAD_TTL: "600" });
    const { begin, patch, send } = tusRequests(library);
    const { url } = await begin(20);
    expect((await patch(url, 0, "ten bytes.")).status).toBe(204);
    library.clock.advance(dayMicros + 500 * secondMicros);
    expect((await cleanUpAssets(library.ctx, 0)).uploads).toBe(0);
    expect((await library.keys()).filter((key) => key.startsWith("_segments/"))).toHaveLength(1);
    library.clock.advance(200 * secondMicros);
    expect((await cleanUpAssets(library.ctx, 0)).uploads).toBe(1);
    expect(await library.keys()).toEqual([]);
    expect((await send("HEAD", url)).status).toBe(410);
  });

  test(`of one token are at most ${openUploadsMax} at a time, until they expire`, async () => {
    await using library = await openLibrary(dialect, place);
    const { begin, send } = tusRequests(library);
    const started = [];
    for (let count = 0; count < openUploadsMax; count++) started.push(await begin(10));
    const another = (await library.presign({ filename: "a.bin" })).body;
    const refused = await send("POST", another.resumable_url, { "upload-length": "10" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    const { reserved } = must(started[0]);
    expect((await send("DELETE", reserved.resumable_url)).status).toBe(204);
    expect((await begin(10)).response.status).toBe(201);
    library.clock.advance(dayMicros + 3_600 * secondMicros);
    expect((await begin(10)).response.status).toBe(201);
  });
});

test("an upload that the disk has no space for is refused with 507, with those that others began", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const { begin, send } = tusRequests(library);
  Object.assign(must(library.ctx.store), { freeBytes: async () => 5000 });
  await begin(2000);
  const reserved = (await library.presign({ filename: "a.bin" })).body;
  const start = (length: number) => send("POST", reserved.resumable_url, { "upload-length": `${length}` });
  expect((await start(1501)).status).toBe(507);
  expect((await start(1500)).status).toBe(201);
});
