/**
 * A store owned by one deployment. It holds that deployment's id as an object, and no other deployment
 * deletes from it: a second database on the same store has no rows for the files of the first and would
 * delete them as orphans.
 */
import { unavailable } from "../../core/problem.ts";
import { deploymentKey, probeFolder } from "./keys.ts";
import type { OwnedStore, Owner, PartUploads, Store } from "./store.ts";

/**
 * A deletion relies on a check of at most this age that found the store to be its own; any other result is
 * checked again. Cleanup checks each time.
 */
const ownerCacheMs = 60_000;
const idBytesMax = 256;

/** What each result means for an admin, and what to do. */
const warnings: Record<Owner, string | null> = {
  this: null,
  other:
    "it belongs to another deployment, so nothing is deleted from it; if that one is gone, run svc " +
    "doctor --take-over",
  unknown:
    "it holds files but no deployment id, so nothing is deleted from it; if no other deployment uses " +
    "it, run svc doctor --take-over",
};

/** Returns why nothing is deleted from the store, or null if it belongs to this deployment. */
export const ownershipWarning = (owner: Owner): string | null => warnings[owner];

/** @param deployment reads the id of this deployment */
export function ownedStore(store: Store, deployment: () => Promise<string>): OwnedStore {
  let lastCheck: { owner: Owner; at: number } | null = null;

  async function writeDeploymentId(id: string): Promise<void> {
    await store.put(deploymentKey, new Blob([`${id}\n`]).stream(), {
      type: "text/plain",
      maxBytes: idBytesMax,
    });
  }

  async function findOwner(): Promise<Owner> {
    const id = await deployment();
    let storedId = await readDeploymentId(store);
    if (storedId === null) {
      if (await isEmpty(store)) await writeDeploymentId(id);
      // That of another deployment that was first stays, and another process of this one may have been first.
      storedId = await readDeploymentId(store);
    }
    return storedId === null ? "unknown" : storedId === id ? "this" : "other";
  }

  async function owner(): Promise<Owner> {
    lastCheck = { owner: await findOwner(), at: performance.now() };
    return lastCheck.owner;
  }

  async function requireOwnership(): Promise<void> {
    const isFresh = lastCheck?.owner === "this" && performance.now() - lastCheck.at < ownerCacheMs;
    const found = isFresh ? "this" : await owner();
    const warning = ownershipWarning(found);
    if (warning !== null) throw unavailable(`Files in this store cannot be replaced or deleted: ${warning}.`);
  }

  /** The store must hold the id before its first object. */
  const ensureClaimed = async (): Promise<void> => void (lastCheck ?? (await owner()));

  return {
    ...store,
    owner,
    lastOwner: () => lastCheck?.owner ?? null,
    async takeOver() {
      await store.delete(deploymentKey);
      await writeDeploymentId(await deployment());
      await owner();
    },
    async put(key, source, options) {
      await ensureClaimed();
      return store.put(key, source, options);
    },
    parts: store.parts && {
      ...store.parts,
      async begin(key, options) {
        await ensureClaimed();
        return (store.parts as PartUploads).begin(key, options);
      },
    },
    async signedPut(key, options) {
      const signed = await store.signedPut(key, options);
      if (signed) await ensureClaimed();
      return signed;
    },
    async delete(key) {
      if (!key.startsWith(probeFolder)) await requireOwnership(); // a probe is the caller's own
      await store.delete(key);
    },
    async deleteLeftovers(before, isInUse) {
      await requireOwnership();
      return store.deleteLeftovers(before, isInUse);
    },
  };
}

/**
 * Takes over both stores of a deployment.
 * @returns the names of those that were not its own
 */
export async function takeOver(
  stores: Record<"store" | "publicStore", OwnedStore | null>,
): Promise<string[]> {
  const names: string[] = [];
  for (const [name, store] of Object.entries({ asset: stores.store, public: stores.publicStore })) {
    if (!store || (await store.owner()) === "this") continue;
    await store.takeOver();
    names.push(name);
  }
  return names;
}

/** @throws {Problem} 503 where the store answers with a part of it */ async function readDeploymentId(
  store: Store,
): Promise<string | null> {
  const stored = await store.get(deploymentKey, { start: 0, end: idBytesMax });
  if (!stored) return null;
  const id = (await new Response(stored.body).text()).trim();
  if (!/^[\da-f-]{36}$/.test(id)) throw unavailable("The deployment id of the store cannot be read.");
  return id;
}

async function isEmpty(store: Store): Promise<boolean> {
  for await (const _ of store.list("")) return false;
  return true;
}
