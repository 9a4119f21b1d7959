/** Uploads in parts that a client sends to presigned URLs. */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { PartUploads } from "../../../src/files/stores/store.ts";
import { must } from "../../support/harness.ts";
import { copied, open } from "../../support/stores/s3-faults.ts";
import { partBytesMin, type S3ServerOptions } from "../../support/stores/s3-server.ts";
import { bytesOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

const part = (number: number, seed = number): [number, Buffer] => [
  number,
  bytesOf(partBytesMin + number, seed),
];

async function openParts(options: S3ServerOptions = {}) {
  const opened = await open({ prefix: "some/where", ...options });
  const parts: PartUploads = must(opened.store.parts);
  const id = await parts.begin(copied, { type: "image/png" });
  const put = async ([number, body]: [number, Buffer], size = body.length) =>
    (
      await fetch(await parts.sign(copied, id, { number, size }, 60), {
        method: "PUT",
        body: new Uint8Array(body),
      })
    ).status;
  return { ...opened, parts, id, put, sent: async () => must(await parts.list(copied, id)) };
}

test("the parts that have arrived are listed, in pages, and become the object", async () => {
  await using opened = await openParts({ pageKeysMax: 2, public: true });
  const { store, parts, id, put, sent } = opened;
  const all = [1, 2, 3, 4, 5].map((number) => part(number));
  for (const one of all.toReversed()) expect(await put(one)).toBe(200);
  const listed = await sent();
  expect([...listed].map(([number, { size }]) => [number, size])).toEqual(
    all.map(([number, { length }]) => [number, length]),
  );
  expect(await parts.complete(copied, id, [...listed.values()])).toBe(true);
  expect(await parts.complete(copied, id, [...listed.values()])).toBe(true);
  const response = await fetch(`${store.baseUrl}/${copied}`);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(writtenOf(await response.bytes())).toEqual(writtenOf(Buffer.concat(all.map(([, bytes]) => bytes))));
});

test("a URL takes its own part in its own size only, until it expires", async () => {
  const clock = { now: new Date() };
  await using opened = await openParts({ now: () => clock.now });
  const { parts, id, put } = opened;
  expect(await put(part(1), partBytesMin)).toBe(403);
  const url = await parts.sign(copied, id, { number: 1, size: 3 }, 60);
  const send = async (to: string) => (await fetch(to, { method: "PUT", body: "abc" })).status;
  expect(await send(url.replace("partNumber=1", "partNumber=2"))).toBe(403);
  expect(await send(url)).toBe(200);
  clock.now = new Date(clock.now.getTime() + 61_000);
  expect(await send(url)).toBe(403);
});

test("a part that was sent again before the others are put together is noticed", async () => {
  await using opened = await openParts();
  const { s3, parts, id, put, sent } = opened;
  await put(part(1));
  const listed = await sent();
  await put(part(1, 9));
  expect(await parts.complete(copied, id, [...listed.values()])).toBe(false);
  expect([s3.objects.size, s3.unfinished()]).toEqual([0, 1]);
  expect(await parts.complete(copied, id, [...(await sent()).values()])).toBe(true);
});

test("an aborted upload is unknown, and takes no more parts", async () => {
  await using opened = await openParts();
  const { s3, parts, id, put } = opened;
  await put(part(1));
  await parts.abort(copied, id);
  await parts.abort(copied, id);
  expect([await parts.list(copied, id), await put(part(2)), s3.unfinished()]).toEqual([null, 404, 0]);
});
