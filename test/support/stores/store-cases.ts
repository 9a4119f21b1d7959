/** A store for the tests of what every store does, with objects to put and checks of what it holds. */
import { afterAll, expect } from "bun:test";
import type { PutOptions, Store } from "../../../src/files/stores/store.ts";
import { partBytesMin } from "./s3-server.ts";
import { bytesOf, freshStore, ids, MiB, read, sourceOf, type TestStore } from "./store-sources.ts";

export const storeKinds = ["disk", "bucket"] as const;
export const options: PutOptions = { type: "application/octet-stream", maxBytes: 64 * MiB };
export const small = bytesOf(100_000);
/** Three parts of an upload to a bucket. */
export const large = bytesOf(2 * partBytesMin + 200_001, 2);

/** A key of its own for each use, so that the tests of one store do not meet. */
let keys = 0;
export const freshKey = (): string => `atlas/${ids[0]}/file-${++keys}.bin`;

/** Opens a store, and closes it after the tests of the `describe`. */
export function useStore(kind: (typeof storeKinds)[number]) {
  const opened: Promise<TestStore> = freshStore(kind);
  afterAll(async () => (await opened)[Symbol.asyncDispose]());
  const open = async (): Promise<Store> => (await opened).store;
  return {
    opened,
    open,
    put: async (key: string, bytes: Uint8Array, more: Partial<PutOptions> = {}) =>
      (await open()).put(key, sourceOf(bytes), { ...options, ...more }),
    async expectNothing(key: string): Promise<void> {
      const store = await open();
      expect(await store.stat(key)).toBeNull();
      expect(await store.get(key)).toBeNull();
    },
    async expectBytes(key: string, bytes: Uint8Array): Promise<void> {
      const stored = await (await open()).get(key);
      expect(stored?.size).toBe(bytes.length);
      expect((await read(stored as { body: ReadableStream<Uint8Array> })).equals(bytes)).toBe(true);
    },
  };
}
