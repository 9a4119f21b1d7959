/** Limits failed sign-ins to ten a minute per client, against guessing tokens. */

import { clientNetwork } from "../../../core/lib/http/client-network.ts";
import { Problem } from "../../../core/problem.ts";
import type { Context } from "../../context.ts";
import { openLimiter } from "./shared-rate-limit.ts";

const failures = { quota: 10, seconds: 60 };

/**
 * Call after checking the token. Throws 429 if the client had too many failures before, even if this token is
 * valid.
 */
export type Admit = (address: string, isValid: boolean) => Promise<void>;

/** Opens the limit. It is off if `SVC_RATE_LIMIT` is. */
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
