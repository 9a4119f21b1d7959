/** What can be done with the objects of any store. */
import { ulid } from "ulid";
import { unavailable } from "../problem.ts";
import { Turns } from "../turn.ts";
import { probeKey } from "./keys.ts";
import type { Source, Store, Written } from "./store.ts";

/** So many deletions at a time: a bucket answers each after a while, a disk gains nothing from more. */
const atOnce = 8;

/** Reads an object through; null where there is none. */
export async function hashObject(store: Pick<Store, "get">, key: string): Promise<Written | null> {
  const stored = await store.get(key);
  return stored && hashSource(stored.body);
}

/** Hashing holds others up by no more than this takes. */
const turnBytes = 2 ** 20;

export async function hashSource(source: Source): Promise<Written> {
  const hash = new Bun.CryptoHasher("sha256");
  const turns = new Turns(turnBytes);
  let size = 0;
  for await (const chunk of source) {
    hash.update(chunk);
    size += chunk.length;
    await turns.took(chunk.length);
  }
  return { size, sha256: hash.digest("hex") };
}

/** Deletes everything under a prefix. */
export async function deleteUnder(store: Pick<Store, "list" | "delete">, prefix: string): Promise<void> {
  let keys: string[] = [];
  const deleteThem = async () => {
    await Promise.all(keys.map((key) => store.delete(key)));
    keys = [];
  };
  for await (const { key } of store.list(prefix)) if (keys.push(key) === atOnce) await deleteThem();
  await deleteThem();
}

/** Writes, reads and deletes an object. Says what is weaker than it should be, in words for the operator; throws what fails. */
export async function probeStore(store: Store): Promise<string[]> {
  const key = probeKey(ulid());
  const put = (text: string) => store.put(key, bytesOf(text), { type: "text/plain", maxBytes: 64 });
  const first = await put(`probe ${key}`);
  try {
    if (first === "taken") throw unavailable("The store says that a key of this moment is taken.");
    const read = await hashObject(store, key);
    if (read?.sha256 !== first.sha256) throw unavailable("The store does not give back what was written.");
    const second = await put("something else");
    await store.delete(key);
    return second === "taken" ? [] : ["The store lets an object be written twice, so two finalizes at once may mix their bytes."];
  } catch (error) {
    store.delete(key).catch(() => {}); // not waited for: a store that hangs would hang here too
    throw error;
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
