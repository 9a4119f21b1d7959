/**
 * Idempotency keys as rows store them: the key, a separator that no client can send, and the scope. Rows from
 * before migration 0010 store the key alone. Its scope is the project of the row; without a project it
 * applies to every token.
 */

import { dedupeScope, isReservedKey } from "../../src/feed/reserved-keys.ts";
import type { Appendable } from "../../src/feed/rows.ts";

const separator = "\u001f";

/** The key comes first, so that an unscoped key from an older row is its neighbor in the index. */
const scopedKey = (key: string, scope: string): string => key + separator + scope;

type Keyed = Pick<Appendable, "dedupe_key" | "key_scope" | "project">;

/** The key of an event as its row stores it; null without one. */
export const storedKey = ({ dedupe_key: key, key_scope: scope }: Keyed): string | null =>
  key ? (scope === undefined ? key : scopedKey(key, scope)) : null;

/** The form in which the stored key of a row is compared: always with a scope. */
export const canonicalKey = (stored: string, project: string | null | undefined): string =>
  stored.includes(separator) || isReservedKey(stored)
    ? stored
    : scopedKey(stored, dedupeScope(project ?? null, ""));

/** All forms in which a row may store the key of an event. */
export function storedKeyForms({ dedupe_key: key, key_scope: scope }: Keyed): string[] {
  if (!key) return [];
  return scope === undefined ? [key] : [scopedKey(key, scope), key];
}

/**
 * The forms in which the key of an event is compared. The event is a duplicate if a row, or an earlier event
 * of the batch, has any of them.
 */
export function canonicalKeys(event: Keyed): string[] {
  const stored = storedKey(event);
  if (stored === null) return [];
  const unscoped = canonicalKey(event.dedupe_key as string, event.project);
  return unscoped === stored ? [stored] : [stored, unscoped];
}
