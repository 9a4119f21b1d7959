/**
 * Limits requests for share links that do not work, against guessing them: on every route below `/s` alike. A
 * client over the limit gets the same answer for every link.
 */
import type { Context } from "../../context.ts";
import { clientNetwork } from "../../lib/http/client-network.ts";
import { Problem } from "../../problem.ts";
import { openLimiter } from "./shared-rate-limit.ts";

const failures = { quota: 30, seconds: 60 };

export interface FailedLinkLimit {
  /** @throws {Problem} 429 if the client had too many failures */
  requireRoom(address: string): Promise<void>;
  countFailure(address: string): Promise<void>;
}

/** Opens the limit. It does not depend on `SVC_RATE_LIMIT`, which is about the API. */
export function failedLinkLimit(ctx: Pick<Context, "data" | "now">): FailedLinkLimit {
  const take = openLimiter(ctx, failures, "share link");
  return {
    async requireRoom(address) {
      const { allowed, resetSeconds } = await take(clientNetwork(address), ctx.now(), 0);
      if (!allowed)
        throw new Problem(429, `Too many links that do not work. Try again in ${resetSeconds} seconds.`, {
          "retry-after": String(resetSeconds),
        });
    },
    async countFailure(address) {
      await take(clientNetwork(address), ctx.now(), 1);
    },
  };
}
