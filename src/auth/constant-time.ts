/** The one comparison of secrets and signatures. */
import { timingSafeEqual } from "node:crypto";

/**
 * Compares in constant time. The lengths are those of the bytes: a text outside of ASCII has more bytes than
 * characters.
 */
export function constantTimeEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
