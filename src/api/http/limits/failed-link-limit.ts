/**
 * Limits requests for share links that do not work, on every route below `/s` alike. A link that works is not
 * limited: its 256 bits cannot be guessed, and others behind the same address may have mistyped theirs.
 */

import { clientNetwork } from "../../../core/lib/http/client-network.ts";
import { Problem } from "../../../core/problem.ts";
import type { Context } from "../../context.ts";
import { openLimiter } from "./shared-rate-limit.ts";

const failures = { quota: 30, seconds: 60 };

/**
 * Opens the limit. It does not depend on `SVC_RATE_LIMIT`, which is about the API. Counts a failure of a
 * client. @throws {Problem} 429 after too many
 */
export function failedLinkLimit(ctx: Pick<Context, "data" | "now">): (address: string) => Promise<void> {
  const take = openLimiter(ctx, failures, "share link");
  return async (address) => {
    const { allowed, resetSeconds } = await take(clientNetwork(address), ctx.now());
    if (!allowed)
      throw new Problem(429, `Too many links that do not work. Try again in ${resetSeconds} seconds.`, {
        "retry-after": String(resetSeconds),
      });
  };
}
