/** What every store does with an object: get, copy and delete. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { deletePrefix, hashObject } from "../../../src/files/stores/objects.ts";
import { freshKey, large, options, small, storeKinds, useStore } from "../../support/stores/store-cases.ts";
import { bytesOf, ids, keysOf, read, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(120_000);

const [id, other, third] = ids;
for (const kind of storeKinds) {
  describe(`a store on a ${kind}`, () => {
    const { open, put, expectNothing, expectBytes } = useStore(kind);

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
        ["a range behind the end", 100_000, 100_010],
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
  });
}
