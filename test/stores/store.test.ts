/** What every store keeps to, on a disk and in a bucket. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { memoryStore } from "../../src/stores/memory.ts";
import { deletePrefix, hashObject, probeStore } from "../../src/stores/objects.ts";
import type { ByteRange, PutOptions, Store } from "../../src/stores/store.ts";
import { must } from "../support/harness.ts";
import { repositoryRoot } from "../support/repository.ts";
import {
  bytesOf,
  freshStore,
  ids,
  keysOf,
  MiB,
  never,
  read,
  sourceOf,
  type TestStore,
  writtenOf,
} from "../support/store-sources.ts";

setDefaultTimeout(120_000);

const [id, other, third] = ids;
const options: PutOptions = { type: "application/octet-stream", maxBytes: 64 * MiB };
const small = bytesOf(100_000);
/** More than a bucket takes in one call. */
const large = bytesOf(20 * MiB + 1, 2);

/** A key of its own for each use, so that the tests of one store do not meet. */
let keys = 0;
const freshKey = (): string => `atlas/${id}/file-${++keys}.bin`;

for (const kind of ["disk", "bucket"] as const) {
  describe(`a store on a ${kind}`, () => {
    const opened: Promise<TestStore> = freshStore(kind);
    afterAll(async () => (await opened)[Symbol.asyncDispose]());
    const open = async (): Promise<Store> => (await opened).store;

    const put = async (key: string, bytes: Uint8Array, more: Partial<PutOptions> = {}) =>
      (await open()).put(key, sourceOf(bytes), { ...options, ...more });
    const expectNothing = async (key: string) => {
      const store = await open();
      expect(await store.stat(key)).toBeNull();
      expect(await store.get(key)).toBeNull();
    };
    const expectBytes = async (key: string, bytes: Uint8Array) => {
      const stored = await (await open()).get(key);
      expect(stored?.size).toBe(bytes.length);
      expect((await read(stored as { body: ReadableStream<Uint8Array> })).equals(bytes)).toBe(true);
    };

    describe("put", () => {
      const around = (size: number) => [size - 1, size, size + 1];
      test.each([0, 1, ...around(64 * 1024), ...around(5 * MiB), ...around(8 * MiB), 16 * MiB])(
        "keeps %p bytes, and says how many and their hash",
        async (size) => {
          const [key, bytes] = [freshKey(), bytesOf(size, size)];
          expect(await put(key, bytes, { size })).toEqual(writtenOf(bytes));
          expect(await (await open()).stat(key)).toMatchObject({ size });
          await expectBytes(key, bytes);
        },
      );

      test("takes chunks of any size", async () => {
        const store = await open();
        const bytes = bytesOf(10_000);
        for (const chunkBytes of [1, 9_999, 10_000])
          expect(await store.put(freshKey(), sourceOf(bytes, chunkBytes), options)).toEqual(writtenOf(bytes));
        expect(await store.put(freshKey(), sourceOf(large, large.length), options)).toEqual(writtenOf(large));
        expect(await store.put(freshKey(), new Blob([new Uint8Array(bytes)]).stream(), options)).toEqual(
          writtenOf(bytes),
        );
      });

      test.each([
        ["small", small],
        ["large", large],
      ])("of a %s source over the limit is a 413 and leaves nothing", async (_, bytes) => {
        const key = freshKey();
        await expect(put(key, bytes, { maxBytes: bytes.length - 1 })).rejects.toMatchObject({ status: 413 });
        await expectNothing(key);
        expect(await put(key, bytes, { maxBytes: bytes.length })).toEqual(writtenOf(bytes));
      });

      test("stops reading at the limit", async () => {
        const store = await open();
        let given = 0;
        let ended = false;
        async function* source() {
          try {
            for (;;) yield bytesOf((given += 1000) && 1000);
          } finally {
            ended = true;
          }
        }
        await expect(store.put(freshKey(), source(), { ...options, maxBytes: 50_000 })).rejects.toMatchObject(
          { status: 413 },
        );
        expect([given, ended]).toEqual([51_000, true]);
      });

      test.each([
        ["too few bytes", -1],
        ["too many bytes", 1],
      ])("of %p for the announced size is a 400 and leaves nothing", async (_, difference) => {
        for (const bytes of [small, large]) {
          const key = freshKey();
          await expect(put(key, bytes, { size: bytes.length - difference })).rejects.toMatchObject({
            status: 400,
          });
          await expectNothing(key);
        }
      });

      test.each([
        ["at once", 0],
        ["after a while", small.length],
        ["after a lot", large.length],
      ])("of a source that fails %p passes its error on and leaves nothing", async (_, size) => {
        const [store, key, failure] = [await open(), freshKey(), new Error("the sender went away")];
        const source = sourceOf(large.subarray(0, size), 65_521, () => Promise.reject(failure));
        await expect(store.put(key, source, options)).rejects.toBe(failure);
        await expectNothing(key);
        expect(await keysOf(store, `atlas/${id}/`)).not.toContain(key);
      });

      test.each([
        ["small", small],
        ["large", large],
      ])("of a %s source that never ends is left when its signal says so", async (_, bytes) => {
        const [store, key, reason] = [await open(), freshKey(), new Error("enough")];
        const stop = new AbortController();
        const source = sourceOf(bytes, 65_521, async () => {
          setTimeout(() => stop.abort(reason));
          await never();
        });
        await expect(store.put(key, source, { ...options, signal: stop.signal })).rejects.toBe(reason);
        await expectNothing(key);
      });

      test("does nothing if its signal is already aborted", async () => {
        const key = freshKey();
        const signal = AbortSignal.abort(new Error("before it began"));
        await expect(put(key, small, { signal })).rejects.toThrow("before it began");
        await expectNothing(key);
      });

      test.each([
        ["small", small],
        ["large", large],
      ])("never writes a %s object over another one", async (_, bytes) => {
        const key = freshKey();
        const changed = Buffer.from(bytes).fill(0, 7, 9);
        expect(await put(key, bytes)).toEqual(writtenOf(bytes));
        expect(await put(key, changed)).toBe("exists");
        expect(await put(key, bytes.subarray(1))).toBe("exists");
        expect(await put(key, bytes)).toEqual(writtenOf(bytes));
        await expectBytes(key, bytes);
      });

      test("of twenty different objects under one key concurrently stores one and rejects the others", async () => {
        const key = freshKey();
        const versions = Array.from({ length: 20 }, (_, seed) =>
          bytesOf(50_000 + (seed % 2) * 9 * MiB, seed),
        );
        const outcomes = await Promise.all(versions.map((bytes) => put(key, bytes)));
        const kept = outcomes.findIndex((outcome) => outcome !== "exists");
        expect(outcomes.filter((outcome) => outcome === "exists")).toHaveLength(19);
        await expectBytes(key, versions[kept] as Buffer);
      });

      test("of twenty identical objects concurrently succeeds for all", async () => {
        const key = freshKey();
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => put(key, small)));
        expect(outcomes).toEqual(Array(20).fill(writtenOf(small)));
        await expectBytes(key, small);
      });
    });

    describe("get", () => {
      test("returns null if there is no object", async () => {
        await expectNothing(freshKey());
        await expectNothing(`nobody/${other}/a/b/c.txt`);
      });

      test.each([
        ["the first byte", 0, 1],
        ["some bytes", 70_000, 70_010],
        ["the last byte", 99_999, 100_000],
        ["all of them", 0, 100_000],
        ["more than there is", 99_000, 200_000],
        ["nothing", 5, 5],
        ["what lies behind the end", 100_000, 100_010],
      ])("gives %s", async (_, start, end) => {
        const [store, key] = [await open(), freshKey()];
        await put(key, small);
        const stored = await store.get(key, { start, end });
        expect(stored?.size).toBe(small.length);
        expect(await read(stored as { body: ReadableStream<Uint8Array> })).toEqual(
          Buffer.from(small.subarray(start, end)),
        );
      });

      test("returns an empty body for an empty object", async () => {
        const [store, key] = [await open(), freshKey()];
        await put(key, new Uint8Array());
        expect(
          (await read((await store.get(key, { start: 0, end: 1 })) as { body: ReadableStream<Uint8Array> }))
            .length,
        ).toBe(0);
        await expectBytes(key, new Uint8Array());
      });

      test("serves concurrent readers", async () => {
        const [store, key] = [await open(), freshKey()];
        await put(key, large);
        const hashes = await Promise.all(Array.from({ length: 8 }, () => hashObject(store, key)));
        expect(hashes).toEqual(Array(8).fill(writtenOf(large)));
      });

      test("lets a reader stop after its first bytes", async () => {
        const [store, key] = [await open(), freshKey()];
        await put(key, large);
        for (let times = 0; times < 50; times++) {
          const reader = (await store.get(key))?.body.getReader();
          expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
          await reader?.cancel();
        }
        await expectBytes(key, large);
      });
    });

    describe("copy", () => {
      test.each([
        ["an empty", new Uint8Array()],
        ["a small", small],
        ["a large", large],
      ])("of %s object says what the copy holds, and leaves the source", async (_, bytes) => {
        const [store, from, to] = [await open(), freshKey(), freshKey()];
        await put(from, bytes);
        expect(await store.copy(from, to, options)).toEqual(writtenOf(bytes));
        await store.delete(from);
        await expectNothing(from);
        await expectBytes(to, bytes);
      });

      test("of nothing is null", async () => {
        const [store, to] = [await open(), freshKey()];
        expect(await store.copy(freshKey(), to, options)).toBeNull();
        await expectNothing(to);
      });

      test.each([
        ["small", small],
        ["large", large],
      ])("never writes a %s object over another one", async (_, bytes) => {
        const [store, from, to] = [await open(), freshKey(), freshKey()];
        await put(from, bytes);
        await put(to, Buffer.from(bytes).fill(0, 7, 9));
        expect(await store.copy(from, to, options)).toBe("exists");
        expect(await store.copy(from, to, { ...options, digest: writtenOf(bytes) })).toBe("exists");
        await expectBytes(to, Buffer.from(bytes).fill(0, 7, 9));
        await expectBytes(from, bytes);
      });

      test("of twenty concurrent copies to one key succeeds for all", async () => {
        const [store, from, to] = [await open(), freshKey(), freshKey()];
        await put(from, large);
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.copy(from, to, options)));
        expect(outcomes).toEqual(Array(20).fill(writtenOf(large)));
      });

      test.each([
        ["small", small],
        ["large", large],
      ])("of a %s object whose hash is known repeats it", async (_, bytes) => {
        const [store, from, to] = [await open(), freshKey(), freshKey()];
        await put(from, bytes);
        expect(await store.copy(from, to, { ...options, digest: writtenOf(bytes) })).toEqual(
          writtenOf(bytes),
        );
        await expectBytes(to, bytes);
      });
    });

    describe("delete", () => {
      test("deletes an object, and succeeds if there is none", async () => {
        const [store, key] = [await open(), freshKey()];
        await put(key, small);
        await store.delete(key);
        await expectNothing(key);
        await store.delete(key);
        expect(await put(key, small)).toEqual(writtenOf(small));
      });

      test("of a prefix leaves other objects", async () => {
        const store = await open();
        const [gone, stays] = [`_variants/${other}/`, `_variants/${third}/`];
        const names = Array.from({ length: 20 }, (_, number) => `bundle/page-${number}/index.html`);
        for (const name of names) await put(gone + name, small);
        await put(`${stays}thumb.webp`, small);
        await deletePrefix(store, gone);
        expect(await keysOf(store, "_variants/")).toEqual([`${stays}thumb.webp`]);
      });

      test("and put in the same folder concurrently both succeed", async () => {
        const store = await open();
        const name = (number: number) => `busy/${id}/${number}`;
        const bytes = bytesOf(10);
        // On a disk one time in four hundred a folder is removed just while it is made.
        const rounds = kind === "disk" ? 500 : 10;
        const work = async (number: number) => {
          for (let times = 0; times < rounds; times++) {
            expect(await put(name(number), bytes)).toEqual(writtenOf(bytes));
            await store.delete(name(number));
          }
        };
        await Promise.all([1, 2, 3, 4].map(work));
        expect(await keysOf(store, "busy/")).toEqual([]);
      });
    });

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

    test("every method rejects an invalid key", async () => {
      const store = await open();
      for (const key of [
        "../../x",
        `atlas/${id}/../y`,
        `/atlas/${id}/y`,
        "",
        `atlas/${id}/%2e%2e/y`,
        `_tmp/${id}`,
      ]) {
        const calls: (() => unknown)[] = [
          () => store.put(key, sourceOf(small), options),
          () => store.get(key),
          () => store.stat(key),
          () => store.delete(key),
          () => store.copy(key, freshKey(), options),
          () => store.copy(freshKey(), key, options),
          () => Array.fromAsync(store.list(`${key}?/`)),
        ];
        for (const call of calls) await expect((async () => call())()).rejects.toMatchObject({ status: 400 });
      }
    });

    test("passes its probe", async () => {
      const store = await open();
      expect(await probeStore(store)).toEqual([]);
      expect(await keysOf(store, "_probe/")).toEqual([]);
    });

    test("keeps what is written in the order it was asked, for another process that opens it", async () => {
      const { opening } = await opened;
      const key = freshKey();
      await put(key, large);
      const { said } = await inChild(opening, "get", key, 0);
      expect(said).toEqual(writtenOf(large));
    });

    test.each(["put", "get", "copy"])("%p of 96 MiB takes no more memory than of 16 MiB", async (task) => {
      const { opening, store } = await opened;
      const peaks: number[] = [];
      for (const size of [16 * MiB, 96 * MiB]) {
        const key = freshKey();
        if (task !== "put") await inChild(opening, "put", key, size);
        const { said, peakBytes } = await inChild(opening, task, key, size);
        expect(said).toMatchObject({ size });
        peaks.push(peakBytes);
        await deletePrefix(store, `atlas/${id}/`);
      }
      expect((peaks[1] as number) - (peaks[0] as number)).toBeLessThan(24 * MiB);
    });
  });
}

test("the store of embedded files is readable and read-only", async () => {
  const keys = [`atlas/${other}/b`, `atlas/${id}/a`, `_variants/${id}/c`] as const;
  const store = memoryStore(new Map(keys.map((key) => [key, new Blob([`bytes of ${key}`])])));
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
): Promise<{ said: unknown; peakBytes: number }> {
  const child = Bun.spawn(
    [process.execPath, join(repositoryRoot, "test/support/store-child.ts"), JSON.stringify(work)],
    {
      env: { ...process.env, MIMALLOC_PURGE_DELAY: "0" },
      stderr: "inherit",
    },
  );
  return JSON.parse(await new Response(child.stdout).text());
}
