/** The idempotency key of an event as its row stores it. */
import type { Appendable } from "../../src/feed/rows.ts";

/** No client can send it. */
const separator = "\u001f";

/** The key with its scope, if it has one; null without a key. */
export const storedKey = ({
  dedupe_key: key,
  key_scope: scope,
}: Pick<Appendable, "dedupe_key" | "key_scope">): string | null =>
  key ? (scope === undefined ? key : key + separator + scope) : null;
