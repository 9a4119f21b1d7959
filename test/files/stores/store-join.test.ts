/** Joining objects: the pieces of a resumable upload become one file. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { planParts } from "../../../src/files/stores/s3/join.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import type { JoinedObject } from "../../../src/files/stores/store.ts";
import { copied, key, method, open as openBucket } from "../../support/stores/s3-faults.ts";
import { partBytesMin } from "../../support/stores/s3-server.ts";
import { freshKey, options, storeKinds, useStore } from "../../support/stores/store-cases.ts";
import { bytesOf, MiB, sourceOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(60_000);

const part = partBytesMin;
/** Sizes of the joined objects. */
const cases: [name: string, sizes: number[]][] = [
  ["no objects", []],
  ["two small objects", [3, 100_000]],
  ["two large objects", [part + 100_000, part + 200_001]],
  [
    "small objects before, between, and after large ones",
    [1, 2 * part + 200_000, 400_000, 70_000, 2 * part + 400_000, 5],
  ],
  ["objects slightly larger than a part", [part + 1, part + 2, 1, part + 3]],
];
const contentsOf = (sizes: number[]) => sizes.map((size, number) => bytesOf(size, number + 1));

describe.each(storeKinds)("join on a %s", (kind) => {
  const { open, put, expectBytes, expectNothing } = useStore(kind);

  async function putAll(contents: Uint8Array[]): Promise<JoinedObject[]> {
    const sources: JoinedObject[] = [];
    for (const bytes of contents) {
      const key = freshKey();
      await put(key, bytes);
      sources.push({ key, size: bytes.length });
    }
    return sources;
  }

  test.each(cases)("of %s stores their bytes in order", async (_, sizes) => {
    const [store, to, contents] = [await open(), freshKey(), contentsOf(sizes)];
    const whole = Buffer.concat(contents);
    const sources = await putAll(contents);
    expect(await store.join(sources, to, options)).toEqual(writtenOf(whole));
    await expectBytes(to, whole);
    expect(await store.join(sources, to, options)).toEqual(writtenOf(whole));
    await expectBytes((sources.at(-1) ?? { key: to }).key, contents.at(-1) ?? whole);
  });

  test.each([
    ["small", [10, 20]],
    ["large", [part + 100_000, part + 200_000]],
  ])("of %s objects never replaces another object", async (_, sizes) => {
    const [store, to, contents] = [await open(), freshKey(), contentsOf(sizes)];
    const other = Buffer.concat(contents).fill(0, 3, 9);
    await put(to, other);
    expect(await store.join(await putAll(contents), to, options)).toBe("exists");
    await expectBytes(to, other);
  });

  test.each([
    ["small", [10, 20]],
    ["large", [part + 100_000, part + 200_000]],
  ])("of %s objects, one of them gone, is null and leaves nothing", async (_, sizes) => {
    const [store, to] = [await open(), freshKey()];
    const sources = await putAll(contentsOf(sizes));
    await store.delete((sources[1] as JoinedObject).key);
    expect(await store.join(sources, to, options)).toBeNull();
    await expectNothing(to);
  });
});

describe("join in a bucket", () => {
  const contents = contentsOf([part + 200_000, 400_000, part + 800_000]);
  const sources = contents.map((bytes, number) => ({ key: `${key}.${number}`, size: bytes.length }));

  async function openJoin() {
    const opened = await openBucket();
    for (const [number, { key, size }] of sources.entries())
      await opened.store.put(key, sourceOf(contents[number] as Uint8Array), { ...options, size });
    opened.s3.requests.splice(0);
    return opened;
  }

  test("sends only small ranges again, and reads the whole object once, for its hash", async () => {
    await using opened = await openJoin();
    const { s3, store } = opened;
    const sent: number[] = [];
    s3.fault("hang", ({ method, headers, copies }) => {
      if (method === "PUT" && !copies) sent.push(Number(headers.get("content-length")));
      return false;
    });
    expect(await store.join(sources, copied, options)).toEqual(writtenOf(Buffer.concat(contents)));
    expect(sent).toEqual([part]);
    expect(s3.requests.filter((request) => request === `GET ${copied}`)).toHaveLength(1);
    expect(s3.unfinished()).toBe(0);
  });

  test("that cannot copy parts is sent again as a whole", async () => {
    await using opened = await openJoin();
    const { s3, store } = opened;
    s3.fault(501, ({ copies }) => copies);
    expect(await store.join(sources, copied, options)).toEqual(writtenOf(Buffer.concat(contents)));
    expect(s3.unfinished()).toBe(0);
  });

  test("that fails is a 503 and leaves nothing", async () => {
    await using opened = await openJoin();
    const { s3, hasty } = opened;
    s3.fault(503, ({ copies }) => copies);
    await expect(hasty.join(sources, copied, options)).rejects.toMatchObject({ status: 503 });
    expect([s3.objects.has(copied), s3.unfinished()]).toEqual([false, 0]);
    s3.heal();
    s3.fault("reset after", method("POST"), 1);
    expect(await opened.store.join(sources, copied, options)).toEqual(writtenOf(Buffer.concat(contents)));
  });

  test("waits longer for a bucket that puts a larger object together", async () => {
    await using opened = await openJoin();
    const { s3 } = opened;
    const store = s3Store({ ...s3.place, timeouts: { responseMs: 2500, followUpMs: 20_000 } });
    s3.fault("silent", ({ method, query }) => method === "POST" && query.has("uploadId"), 1);
    const all = Array.from({ length: 20 }, () => sources).flat();
    expect(await store.join(all, copied, options)).toMatchObject({
      size: 20 * Buffer.concat(contents).length,
    });
  });

  test("takes parts of at least the size that it is told, whatever the sizes of the objects", () => {
    let seed = 7;
    const random = (max: number) => (seed = (seed * 48271) % 2147483647) % max;
    for (let round = 0; round < 200; round++) {
      const objects = Array.from({ length: 1 + random(40) }, (_, number) => ({
        key: String(number),
        size: 1 + random([100, MiB, 6 * MiB, 20 * MiB][random(4)] as number),
      }));
      const parts = planParts(objects, 5 * MiB);
      const bytes = parts.map((ranges) => ranges.reduce((sum, { start, end }) => sum + end - start, 0));
      expect(bytes.slice(0, -1).every((size) => size >= 5 * MiB)).toBe(true);
      const next = new Map<string, number>();
      for (const { key, start, end } of parts.flat()) {
        expect([start, end > start]).toEqual([next.get(key) ?? 0, true]);
        next.set(key, end);
      }
      expect([...next]).toEqual(objects.map(({ key, size }) => [key, size]));
    }
  });
});
