/** Idempotency keys of events: the reserved ones, and where a key is unique. */

/**
 * Prefixes of the keys that the service derives from webhook deliveries and imported lines. Those keys are
 * unique in the whole feed.
 */
export const reservedKeyPrefixes = ["github:", "webhook:", "line:"] as const;
/** The prefix of keys from webhooks of senders other than GitHub. */
export const [, webhookKeyPrefix] = reservedKeyPrefixes;

/** Whether only svc may use this deduplication key. */
export const isReservedKey = (key: string): boolean =>
  reservedKeyPrefixes.some((prefix) => key.startsWith(prefix));

/**
 * Returns the scope in which a caller's key is unique: the project or, for an event without one, the token.
 */
export const dedupeScope = (project: string | null, token: string): string =>
  project === null ? `token:${token}` : `project:${project}`;
