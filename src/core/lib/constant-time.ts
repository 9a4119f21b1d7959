/** Comparison of secrets and signatures. */
import { lazy } from "./lazy.ts";

/** `node:crypto` loads the streams of Node: 4 ms of CPU, and most commands compare nothing. */
const nodeCrypto = lazy(() => process.getBuiltinModule("node:crypto"));

/**
 * Compares in constant time. `timingSafeEqual` needs equal lengths in bytes, and non-ASCII text has more
 * bytes than characters.
 */
export function constantTimeEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && nodeCrypto().timingSafeEqual(a, b);
}
