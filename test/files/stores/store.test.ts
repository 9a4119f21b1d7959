/** What every store does with a put, on disk and in a bucket. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { probeStore } from "../../../src/files/stores/objects.ts";
import { freshKey, large, options, small, storeKinds, useStore } from "../../support/stores/store-cases.ts";
import { bytesOf, ids, keysOf, MiB, never, sourceOf, writtenOf } from "../../support/stores/store-sources.ts";

setDefaultTimeout(120_000);

const [id] = ids;
for (const kind of storeKinds) {
  describe(`a store on a ${kind}`, () => {
    const { open, put, expectNothing, expectBytes } = useStore(kind);

    describe("put", () => {
      const around = (size: number) => [size - 1, size, size + 1];
      test.each([0, 1, ...around(64 * 1024), ...around(MiB), ...around(5 * MiB), 8 * MiB])(
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
          bytesOf(50_000 + (seed % 2) * large.length, seed),
        );
        const outcomes = await Promise.all(versions.map((bytes) => put(key, bytes)));
        const remaining = outcomes.findIndex((outcome) => outcome !== "exists");
        expect(outcomes.filter((outcome) => outcome === "exists")).toHaveLength(19);
        await expectBytes(key, versions[remaining] as Buffer);
      });

      test("of twenty identical objects concurrently succeeds for all", async () => {
        const key = freshKey();
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => put(key, small)));
        expect(outcomes).toEqual(Array(20).fill(writtenOf(small)));
        await expectBytes(key, small);
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
          () => Array.fromAsync(store.list(`${key}\\/`)),
        ];
        for (const call of calls) await expect((async () => call())()).rejects.toMatchObject({ status: 400 });
      }
    });

    test("passes its probe", async () => {
      const store = await open();
      expect(await probeStore(store)).toEqual([]);
      expect(await keysOf(store, "_probe/")).toEqual([]);
    });
  });
}
