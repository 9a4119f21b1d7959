/** Bytes for the tests of the stores, and stores to put them in. */
import { createCipheriv, createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localStore } from "../../../src/files/stores/disk/store.ts";
import type { S3Location } from "../../../src/files/stores/s3/location.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import type { ContentDigest, Store } from "../../../src/files/stores/store.ts";
import { freshBucket } from "./s3-server.ts";

export const MiB = 2 ** 20;
export const ids = [
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "01BX5ZZKBKACTAV9WEVGEMMVRZ",
  "01BX5ZZKBKACTAV9WEVGEMMVS0",
] as const;

/** Returns arbitrary bytes, the same for the same seed; no two blocks are alike. AES-CTR is fast. */
export function bytesOf(size: number, seed = 1): Buffer {
  const key = createHash("md5").update(`${seed}`).digest();
  return createCipheriv("aes-128-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

/** In chunks of a size that fits nothing; `then` comes in place of the end. */
export async function* sourceOf(
  bytes: Uint8Array,
  chunkBytes = 65_521,
  then?: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  await then?.();
}

/** A source of `size` bytes that takes no memory. */
export async function* endless(size: number): AsyncGenerator<Uint8Array> {
  const chunk = bytesOf(65_536);
  for (let at = 0; at < size; at += chunk.length) yield chunk.subarray(0, size - at);
}

export const never = (): Promise<void> => new Promise(() => {});

export const writtenOf = (bytes: Uint8Array): ContentDigest => ({
  size: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

export async function read(stored: { body: ReadableStream<Uint8Array> }): Promise<Buffer> {
  return Buffer.from(await new Response(stored.body).arrayBuffer());
}

export async function keysOf(store: Store, prefix = "", after?: string): Promise<string[]> {
  return (await Array.fromAsync(store.list(prefix, after))).map(({ key }) => key);
}

/** What a child process needs to open the same store. */
export type Opening = { root: string } | { place: S3Location };

export const openStore = (opening: Opening): Store =>
  "root" in opening ? localStore(opening) : s3Store(opening.place);

export interface TestStore extends AsyncDisposable {
  store: Store;
  opening: Opening;
}

/** A store that nothing was ever written to. */
export async function freshStore(kind: "disk" | "bucket"): Promise<TestStore> {
  if (kind === "bucket") {
    const { place, close } = await freshBucket();
    return { store: s3Store(place), opening: { place }, [Symbol.asyncDispose]: close };
  }
  const folder = await mkdtemp(join(tmpdir(), "svc-store-"));
  const opening = { root: join(folder, "store") };
  return {
    store: localStore(opening),
    opening,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
