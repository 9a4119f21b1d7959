/**
 * Idempotency keys as rows hold them: the key, a separator that no caller can send, and the scope. Rows from
 * before migration 0010 hold the key alone; such a key counts in the project of its row, or for every token
 * where that has none.
 */
import { dedupeScope, isReservedKey } from "../../src/feed/schema.ts";
import type { Appendable } from "../../src/rows.ts";

const separator = "\u001f";

/** The key comes first: what a row of before may hold is then its neighbor in the index. */
const join = (key: string, scope: string): string => key + separator + scope;

type Keyed = Pick<Appendable, "dedupe_key" | "key_scope" | "project">;

export const storedKey = ({ dedupe_key: key, key_scope: scope }: Keyed): string | null =>
  key ? (scope === undefined ? key : join(key, scope)) : null;

/** What the key of a row is compared by. */
export const comparedKey = (stored: string, project: string | null | undefined): string =>
  stored.includes(separator) || isReservedKey(stored)
    ? stored
    : join(stored, dedupeScope(project ?? null, ""));

/** What rows that have the key of an event already may hold. */
export function heldKeys({ dedupe_key: key, key_scope: scope }: Keyed): string[] {
  if (!key) return [];
  return scope === undefined ? [key] : [join(key, scope), key];
}

/**
 * What the key of an event is compared by: the event is a duplicate where a row, or one of the same batch,
 * has any of them.
 */
export function comparedKeys(event: Keyed): string[] {
  const stored = storedKey(event);
  if (stored === null) return [];
  const bare = comparedKey(event.dedupe_key as string, event.project);
  return bare === stored ? [stored] : [stored, bare];
}
