/**
 * A store that belongs to one deployment. It holds that deployment's id as an object, and nothing is deleted
 * from it by any other: a second database on the same store has no rows for the files of the first, and would
 * delete them as orphans.
 */
import { unavailable } from "../problem.ts";
import { markKey, probeFolder } from "./keys.ts";
import type { OwnedStore, Owner, Store } from "./store.ts";

/** A deletion relies on an answer that is no older. Sweeps ask again each time. */
const freshMs = 60_000;
const markBytesMax = 256;

/** What each answer means for an admin, and what to do. */
const meanings: Record<Owner, string | null> = {
  this: null,
  other:
    "it belongs to another deployment, so nothing is deleted from it; if that one is gone, run svc doctor --take-over",
  unknown:
    "it holds files but no deployment id, so nothing is deleted from it; if no other deployment uses it, run svc doctor --take-over",
};

/** Null where the store belongs to this deployment. */
export const whyNothingIsDeleted = (owner: Owner): string | null => meanings[owner];

/** @param deployment reads the id of this deployment */
export function ownedStore(store: Store, deployment: () => Promise<string>): OwnedStore {
  let last: { owner: Owner; at: number } | null = null;

  async function writeMark(id: string): Promise<void> {
    await store.put(markKey, new Blob([`${id}\n`]).stream(), { type: "text/plain", maxBytes: markBytesMax });
  }

  async function findOwner(): Promise<Owner> {
    const id = await deployment();
    let mark = await readMark(store);
    if (mark === null && (await isEmpty(store))) {
      await writeMark(id); // where another deployment was first, that one's stays
      mark = await readMark(store);
    }
    return mark === null ? "unknown" : mark === id ? "this" : "other";
  }

  async function owner(): Promise<Owner> {
    last = { owner: await findOwner(), at: performance.now() };
    return last.owner;
  }

  async function requireOwn(): Promise<void> {
    const found = last && performance.now() - last.at < freshMs ? last.owner : await owner();
    const why = whyNothingIsDeleted(found);
    if (why !== null) throw unavailable(`Files in this store cannot be replaced or deleted: ${why}.`);
  }

  /** The id has to be there before the first object is. */
  const claim = async (): Promise<void> => void (last ?? (await owner()));

  return {
    ...store,
    owner,
    lastOwner: () => last?.owner ?? null,
    async takeOver() {
      await store.delete(markKey);
      await writeMark(await deployment());
      await owner();
    },
    async put(key, source, options) {
      await claim();
      return store.put(key, source, options);
    },
    async signedPut(key, options) {
      const signed = await store.signedPut(key, options);
      if (signed) await claim();
      return signed;
    },
    async delete(key) {
      if (!key.startsWith(probeFolder)) await requireOwn(); // a probe is the caller's own
      await store.delete(key);
    },
    async sweep(before) {
      await requireOwn();
      return store.sweep(before);
    },
  };
}

/** Makes both stores of a deployment its own. @returns the names of those that were not */
export async function takeOver(
  stores: Record<"store" | "publicStore", OwnedStore | null>,
): Promise<string[]> {
  const taken: string[] = [];
  for (const [name, store] of Object.entries({ asset: stores.store, public: stores.publicStore })) {
    if (!store || (await store.owner()) === "this") continue;
    await store.takeOver();
    taken.push(name);
  }
  return taken;
}

async function readMark(store: Store): Promise<string | null> {
  const stored = await store.get(markKey, { start: 0, end: markBytesMax });
  return stored && (await new Response(stored.body).text()).trim();
}

async function isEmpty(store: Store): Promise<boolean> {
  for await (const _ of store.list("")) return false;
  return true;
}
