/** Lists of a store, its memory, and the store of embedded files. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { embeddedStore } from "../../../src/files/stores/embedded.ts";
import { deletePrefix } from "../../../src/files/stores/objects.ts";
import type { ByteRange } from "../../../src/files/stores/store.ts";
import { must } from "../../support/harness.ts";
import { repositoryRoot } from "../../support/repository.ts";
import { freshKey, large, options, small, storeKinds, useStore } from "../../support/stores/store-cases.ts";
import {
  bytesOf,
  freshStore,
  ids,
  keysOf,
  MiB,
  read,
  sourceOf,
  type TestStore,
  writtenOf,
} from "../../support/stores/store-sources.ts";

setDefaultTimeout(120_000);

const [id, other, third] = ids;
for (const kind of storeKinds) {
  describe(`a store on a ${kind}`, () => {
    const { opened, open, put } = useStore(kind);

    describe("list", () => {
      test("returns every object sorted by key, under a prefix, after a key", async () => {
        await using fresh = await freshStore(kind);
        const { store } = fresh;
        const all = [
          ...[`_pending/${id}`, `_variants/${id}/bundle/a/b.css`, `_variants/${id}/thumb.webp`],
          ...[
            `a-b/${id}/x`,
            `a/${id}/x`,
            `a/${id}/x y/1`,
            `a/${id}/x-1`,
            `a/${id}/x/1`,
            `a/${id}/x1`,
            `a/${id}/é`,
            `a/${other}/x`,
            `b/${id}/x`,
          ],
        ].toSorted((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two)));
        const objects = all.filter((key) => key !== `a/${id}/x`); // a folder cannot also be a file
        for (const key of objects.toReversed()) await store.put(key, sourceOf(bytesOf(key.length)), options);
        expect(await keysOf(store)).toEqual(objects);
        expect(await keysOf(store, `a/${id}/`)).toEqual(objects.filter((key) => key.startsWith(`a/${id}/`)));
        expect(await keysOf(store, "a/")).toEqual(objects.filter((key) => key.startsWith("a/")));
        expect(await keysOf(store, "nobody/")).toEqual([]);
        for (const [place, key] of objects.entries())
          expect(await keysOf(store, "", key)).toEqual(objects.slice(place + 1));
        expect(await keysOf(store, "a/", `a/${id}/x1`)).toEqual([`a/${id}/é`, `a/${other}/x`]);
        for await (const { key, size } of store.list("")) expect(size).toBe(key.length);
      });

      test("returns nothing for an empty store", async () => {
        await using fresh = await freshStore(kind);
        expect(await keysOf(fresh.store)).toEqual([]);
      });

      test("can be stopped early", async () => {
        const store = await open();
        await put(freshKey(), small);
        for await (const { key } of store.list("")) {
          expect(key).toBeString();
          break;
        }
      });

      test("dates a copy by its own creation, so that cleanup of old files keeps it", async () => {
        const [store, from, to] = [await open(), freshKey(), freshKey()];
        await put(from, large);
        const written = (await store.stat(from))?.modifiedAt as Date;
        await Bun.sleep(1100); // a bucket's time has seconds
        await store.copy(from, to, options);
        expect((await store.stat(to))?.modifiedAt.getTime()).toBeGreaterThan(written.getTime());
        expect(Math.abs(Date.now() - written.getTime())).toBeLessThan(60_000);
      });
    });

    test("keeps what is written in the order it was asked, for another process that opens it", async () => {
      const { opening } = await opened;
      const key = freshKey();
      await put(key, large);
      const { result } = await inChild(opening, "get", key, 0);
      expect(result).toEqual(writtenOf(large));
    });

    test("put, get and copy of 64 MiB take no more memory than of 16 MiB", async () => {
      const { opening, store } = await opened;
      const sizes = [16 * MiB, 64 * MiB];
      const keys = sizes.map(freshKey);
      for (const task of ["put", "get", "copy"]) {
        const peaks: number[] = [];
        for (const [number, size] of sizes.entries()) {
          const { result, peakBytes } = await inChild(opening, task, must(keys[number]), size);
          expect(result).toMatchObject({ size });
          peaks.push(peakBytes);
        }
        expect(must(peaks[1]) - must(peaks[0]), task).toBeLessThan(24 * MiB);
      }
      await deletePrefix(store, `atlas/${id}/`);
    });
  });
}

test("the store of embedded files is readable and read-only", async () => {
  const keys = [`atlas/${other}/b`, `atlas/${id}/a`, `_variants/${id}/c`] as const;
  const store = embeddedStore(new Map(keys.map((key) => [key, new Blob([`bytes of ${key}`])])));
  const text = async (key: string, range?: ByteRange) =>
    (await read(must(await store.get(key, range)))).toString();
  expect([await text(keys[0]), await text(keys[0], { start: 9, end: 14 })]).toEqual([
    `bytes of ${keys[0]}`,
    "atlas",
  ]);
  expect(await store.stat(keys[0])).toMatchObject({ size: `bytes of ${keys[0]}`.length });
  expect([await store.get(`atlas/${third}/a`), await store.stat(`atlas/${third}/a`)]).toEqual([null, null]);
  expect([await keysOf(store), await keysOf(store, "atlas/"), await keysOf(store, "", keys[1])]).toEqual([
    [keys[2], keys[1], keys[0]],
    [keys[1], keys[0]],
    [keys[0]],
  ]);
  for (const write of [
    store.put(keys[0], sourceOf(small), options),
    store.copy(keys[0], `atlas/${third}/a`, options),
    store.delete(keys[0]),
  ])
    await expect(write).rejects.toMatchObject({ status: 501 });
  expect([await store.listLeftovers(new Date()), await store.deleteLeftovers(new Date())]).toEqual([[], 0]);
});

/** The same store in a process of its own. */
async function inChild(
  ...work: [TestStore["opening"], string, string, number]
): Promise<{ result: unknown; peakBytes: number }> {
  const child = Bun.spawn(
    [process.execPath, join(repositoryRoot, "test/support/stores/store-child.ts"), JSON.stringify(work)],
    {
      env: { ...process.env, MIMALLOC_PURGE_DELAY: "0" },
      stderr: "inherit",
    },
  );
  return JSON.parse(await new Response(child.stdout).text());
}
