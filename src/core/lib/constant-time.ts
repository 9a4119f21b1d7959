/** Comparison of secrets and signatures. */
import { timingSafeEqual } from "node:crypto";

/**
 * Compares in constant time. `timingSafeEqual` needs equal lengths in bytes, and non-ASCII text has more
 * bytes than characters.
 */
export function constantTimeEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
