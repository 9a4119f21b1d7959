/**
 * Idempotency keys as rows hold them: the scope, a separator that no caller can send, and the key. Rows from before migration
 * 0010 hold the key alone; such a key counts in the project of its row, or for every token where that has none.
 */
import { isReservedKey, keyScope } from "../src/feed/schema.ts";
import type { Appendable } from "../src/rows.ts";

const separator = "\u001f";
const join = (scope: string, key: string): string => scope + separator + key;

type Keyed = Pick<Appendable, "dedupe_key" | "key_scope" | "project">;

export const storedKey = ({ dedupe_key: key, key_scope: scope }: Keyed): string | null =>
  key ? (scope === undefined ? key : join(scope, key)) : null;

/** What the key of a row is compared by. */
export const comparedKey = (stored: string, project: string | null | undefined): string =>
  stored.includes(separator) || isReservedKey(stored) ? stored : join(keyScope(project ?? null, ""), stored);

/** What rows that have the key of an event already may hold. */
export function heldKeys(event: Keyed): string[] {
  const stored = storedKey(event);
  return stored === null ? [] : [stored, event.dedupe_key as string];
}

/** What the key of an event is compared by: the event is a duplicate where a row, or one of the same batch, has any of them. */
export const comparedKeys = (event: Keyed): string[] => [
  ...new Set([...heldKeys(event).slice(0, 1), ...heldKeys(event).map((key) => comparedKey(key, event.project))]),
];
