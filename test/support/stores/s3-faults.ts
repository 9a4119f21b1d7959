/** A store on a bucket that misbehaves as a test says. */
import { expect } from "bun:test";
import type { S3Timeouts } from "../../../src/files/stores/s3/location.ts";
import { s3Store } from "../../../src/files/stores/s3/store.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import {
  partBytesMin,
  type RecordedCall,
  type S3Server,
  type S3ServerOptions,
  startS3,
} from "./s3-server.ts";
import { bytesOf, ids, keysOf, MiB, sourceOf } from "./store-sources.ts";

export const [id, other] = ids;
export const key = `atlas/${id}/file.bin`;
export const copied = `atlas/${id}/copy.bin`;
export const pending = `_pending/${id}`;
export const options = { type: "image/png", maxBytes: 64 * MiB };
export const small = bytesOf(100_000);
/** Three parts. */
export const large = bytesOf(2 * partBytesMin + 200_001, 2);
/** For a store that is about to do nothing. */
export const brief: S3Timeouts = { responseMs: 1000, followUpMs: 500, attempts: 3, retryMs: 1 };
/** For one that does, on a machine that is busy with other tests. */
export const calm: S3Timeouts = { ...brief, responseMs: 20_000, followUpMs: 20_000 };

interface Opened extends AsyncDisposable {
  s3: S3Server;
  store: Store;
  /** The same bucket, asked without patience. */
  hasty: Store;
}

export async function open(server: S3ServerOptions = {}, now = () => new Date()): Promise<Opened> {
  const s3 = await startS3(server);
  const [store, hasty] = [calm, brief].map((patience) =>
    s3Store({ ...s3.place, timeouts: patience, now }),
  ) as [Store, Store];
  return { s3, store, hasty, [Symbol.asyncDispose]: s3.close };
}

export const put = (store: Store, at: string, bytes: Uint8Array) => store.put(at, sourceOf(bytes), options);
export const any = () => true;
export const method = (name: string) => (call: RecordedCall) => call.method === name;
export const away = expect.objectContaining({ status: 503, headers: { "retry-after": "2" } });

/** Every verb, on objects that are there. */
export const verbs: [string, (store: Store) => Promise<unknown>][] = [
  ["put of a small object", (store) => put(store, copied, small)],
  ["put of a large object", (store) => put(store, copied, large)],
  ["copy of a small object", (store) => store.copy(key, copied, options)],
  ["copy of a large object", (store) => store.copy(pending, copied, options)],
  ["get", (store) => store.get(key)],
  ["stat", (store) => store.stat(key)],
  ["delete", (store) => store.delete(key)],
  ["list", (store) => keysOf(store)],
  ["sweep", (store) => store.deleteLeftovers(new Date(0))],
];
