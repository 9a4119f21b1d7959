/** Helpers that work on any store. */
import { ulid } from "ulid";
import { unavailable } from "../../core/problem.ts";
import { HashingWriter } from "./disk/worker-pool.ts";
import { encodeKey, probeKey } from "./keys.ts";
import type { ByteStream, ContentDigest, CopyOptions, JoinedObject, Store } from "./store.ts";
import { blockBytes, splitIntoBlocks } from "./upload-stream.ts";

/** Concurrent deletions: they hide the latency of a bucket; a disk gains nothing from more. */
const parallelDeletes = 8;

/** Reads an object and returns its size and hash; null if it does not exist. */
export async function hashObject(store: Pick<Store, "get">, key: string): Promise<ContentDigest | null> {
  const stored = await store.get(key);
  return stored && hashSource(stored.body);
}

/** The size in bytes and the SHA-256 of a stream, hashed off the main thread. */
export async function hashSource(source: ByteStream): Promise<ContentDigest> {
  using writer = new HashingWriter();
  let hashing = Promise.resolve();
  for await (const block of splitIntoBlocks(source, { maxBytes: Infinity }, blockBytes, 2)) {
    await hashing;
    hashing = writer.add(block);
    hashing.catch(() => {}); // it fails when it is waited for
  }
  await hashing;
  return { size: writer.size, sha256: await writer.end() };
}

/** An object that a store was to join is gone. */
class MissingObject extends Error {}

/** Streams objects one after the other. */
async function* readJoined(store: Pick<Store, "get">, sources: JoinedObject[]): ByteStream {
  for (const { key } of sources) {
    const stored = await store.get(key);
    if (!stored) throw new MissingObject(key);
    yield* stored.body;
  }
}

/** Joins objects by reading and writing them: `join` of a store that cannot do it itself. */
export async function joinThroughProcess(
  store: Pick<Store, "get" | "put">,
  sources: JoinedObject[],
  to: string,
  options: Pick<CopyOptions, "type" | "signal">,
): Promise<ContentDigest | "exists" | null> {
  const size = sources.reduce((sum, source) => sum + source.size, 0);
  return nullIfMissing(store.put(to, readJoined(store, sources), { ...options, size, maxBytes: size }));
}

/** Returns the digest that the objects have together; null if one of them is gone. */
export const hashJoined = (
  store: Pick<Store, "get">,
  sources: JoinedObject[],
): Promise<ContentDigest | null> => nullIfMissing(hashSource(readJoined(store, sources)));

const nullIfMissing = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error) => {
    if (error instanceof MissingObject) return null;
    throw error;
  });

/** Deletes every object under a prefix. */
export async function deletePrefix(store: Pick<Store, "list" | "delete">, prefix: string): Promise<void> {
  let keys: string[] = [];
  const deleteBatch = async () => {
    await Promise.all(keys.map((key) => store.delete(key)));
    keys = [];
  };
  for await (const { key } of store.list(prefix)) if (keys.push(key) === parallelDeletes) await deleteBatch();
  await deleteBatch();
}

/**
 * Writes, reads and deletes a probe object. Returns warnings for an admin; throws if the store fails.
 * @param publicUrl where everyone can read its objects
 */
export async function probeStore(store: Store, publicUrl: string | null = null): Promise<string[]> {
  const key = probeKey(ulid());
  const put = (text: string) => store.put(key, bytesOf(text), { type: "text/plain", maxBytes: 64 });
  const first = await put(`probe ${key}`);
  try {
    if (first === "exists") throw unavailable("The store reports a newly generated key as taken.");
    const read = await hashObject(store, key);
    if (read?.sha256 !== first.sha256) throw unavailable("The store returned other data than was written.");
    const hidden = publicUrl === null ? null : await whyUnreadable(`${publicUrl}/${encodeKey(key)}`);
    const second = await put("something else");
    await store.delete(key);
    return [
      ...(second === "exists"
        ? []
        : ["The store lets an object be overwritten, so concurrent finalize calls can mix up their files."]),
      ...(hidden === null
        ? []
        : [
            `Published files cannot be read at ${publicUrl} (${hidden}). Let everyone read the bucket's ` +
              "objects, or set SVC_PUBLIC_BASE_URL.",
          ]),
    ];
  } catch (error) {
    store.delete(key).catch(() => {}); // not waited for: a store that hangs would hang here too
    throw error;
  }
}

/** Why a file cannot be read without credentials; null if it can. */
const whyUnreadable = (url: string): Promise<string | null> =>
  fetch(url, { method: "HEAD", signal: AbortSignal.timeout(10_000) }).then(
    ({ ok, status }) => (ok ? null : String(status)),
    (error: Error) => error.message,
  );

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
