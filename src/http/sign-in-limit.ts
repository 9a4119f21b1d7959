/** Guesses at a token: a client may fail ten times a minute. Sign-ins that succeed do not count. */

import type { Context } from "../context.ts";
import { clientNetwork } from "../lib/client-network.ts";
import { Problem } from "../problem.ts";
import { openLimiter } from "./shared-rate-limit.ts";

const failures = { quota: 10, seconds: 60 };

/**
 * Called once it is known whether the token is valid. Throws 429, valid or not, where the client failed too
 * often before.
 */
export type Admit = (address: string, isValid: boolean) => Promise<void>;

/** Off where `SVC_RATE_LIMIT` is. */
export function signInLimit(ctx: Pick<Context, "config" | "data" | "now">): Admit {
  if (!ctx.config.rateLimit) return async () => {};
  const take = openLimiter(ctx, failures, "sign-in");
  return async (address, isValid) => {
    const { allowed, resetSeconds } = await take(clientNetwork(address), ctx.now(), isValid ? 0 : 1);
    if (!allowed)
      throw new Problem(429, `Too many failed sign-ins. Try again in ${resetSeconds} seconds.`, {
        "retry-after": String(resetSeconds),
      });
  };
}
