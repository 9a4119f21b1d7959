/** Compares stored files with what was reviewed. */

import { Cache } from "../../../core/lib/cache.ts";
import { secondMicros } from "../../../core/lib/time.ts";
import { hashObject } from "../../../files/stores/objects.ts";
import type { ContentDigest, Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";

export type Integrity = "intact" | "changed" | "missing";

/**
 * Buckets tell times in whole seconds. A file that was written this shortly before it was read may change
 * again without a new time, so its hash is not remembered.
 */
const settledMicros = 2 * secondMicros;

/** The size and time that files had when their hash was right, by key. */
const intactFiles = new Cache<string, string>({ max: 20_000 });

/** Reads a file, unless it has not changed since its hash was last found right in this process. */
export async function integrityOf(
  { now }: Pick<LibraryContext, "now">,
  store: Store,
  key: string,
  { size, sha256 }: ContentDigest,
): Promise<Integrity> {
  const info = await store.stat(key);
  if (!info) return "missing";
  if (info.size !== size) return "changed";
  const modifiedAt = info.modifiedAt.getTime();
  const state = `${sha256} ${modifiedAt}`;
  if (intactFiles.get(key) === state) return "intact";
  const stored = await hashObject(store, key);
  if (!stored) return "missing";
  if (stored.sha256 !== sha256) return "changed";
  if (modifiedAt * 1000 < now() - settledMicros) intactFiles.set(key, state);
  return "intact";
}
