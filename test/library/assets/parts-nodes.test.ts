/** An upload in parts through two servers on one database and bucket, one of which is killed. */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { PresignResponse } from "../../../src/library/assets/requests.ts";
import type { UploadParts } from "../../../src/library/assets/upload/parts-schema.ts";
import { dialects, must, startServer, until } from "../../support/harness.ts";
import { pathOf } from "../../support/library.ts";
import { bytesOf, MiB, writtenOf } from "../../support/stores/store-sources.ts";
import { openTestServer } from "../../support/test-server.ts";

setDefaultTimeout(60_000);

const bytes = bytesOf(17 * MiB);

test.each(dialects)(
  "two nodes on %s share an upload in parts, and one outlives the other",
  async (dialect) => {
    await using one = await openTestServer(dialect, "bucket");
    await using other = await startServer({ url: must(one.env.SVC_DATABASE_URL) }, one.env);
    const reserved = await one.api<PresignResponse>("POST", "/assets/presign", {
      ...{ project: "atlas", filename: "a.bin" },
    });
    const headers = { authorization: `Bearer ${one.token}`, "content-type": "application/json" };
    const post = (origin: string, url: string, body: unknown) =>
      fetch(origin + pathOf(url), { method: "POST", headers, body: JSON.stringify(body) });
    const partsFrom = async (origin: string): Promise<UploadParts> =>
      (await post(origin, must(reserved.parts_url), { size: bytes.length })).json();
    const origins = [one.server.origin, other.origin];
    const offers = await Promise.all(origins.map(partsFrom));
    const uploads = offers.map(({ parts }) => new URL(must(parts[0]).url).searchParams.get("uploadId"));
    expect(new Set(uploads).size).toBe(1);
    for (const [number, offer] of offers.entries()) {
      const { url, offset, size } = must(offer.parts[number]);
      const body = new Uint8Array(bytes.subarray(offset, offset + size));
      expect((await fetch(url, { method: "PUT", body })).status).toBe(200);
    }
    const finalize = (origin: string) => post(origin, reserved.finalize_url, reserved.finalize_body);
    const lost = finalize(other.origin).catch(() => null);
    await other.kill();
    await lost;
    let answer: Response | undefined;
    await until(
      async () => (answer = await finalize(one.server.origin)).status !== 503,
      "the file is stored",
    );
    // The killed server may have finished: then its asset is there.
    expect([201, 409]).toContain(must(answer).status);
    const asset = await one.api<{ size: number; sha256: string; url: string }>(
      "GET",
      `/assets/${reserved.id}`,
    );
    expect(asset).toMatchObject(writtenOf(bytes));
    expect(writtenOf(await (await fetch(one.server.origin + pathOf(asset.url))).bytes())).toEqual(
      writtenOf(bytes),
    );
  },
);
