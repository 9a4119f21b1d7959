/** Limits failed sign-ins to ten a minute per client, against guessing tokens. */

import { clientNetwork } from "../../../core/lib/http/client-network.ts";
import { Problem } from "../../../core/problem.ts";
import type { Context } from "../../context.ts";
import type { RateLimit, RateLimitResult } from "./rate-limit.ts";
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

/** Limits what people do with one share link, so that a link cannot fill the log or a version. */
const forms: RateLimit = { quota: 30, seconds: 600 };

/** Opening, viewing and downloading, each of which writes to the log: the default limit of writes to the API. */
const visits: RateLimit = { quota: 60, seconds: 60 };

type Needs = Pick<Context, "data" | "now">;

/** Opens the limit. Counts a form of a share. @throws {Problem} 429 after too many */
export function shareFormLimit(ctx: Needs): (share: string) => Promise<void> {
  const take = openLimiter(ctx, forms, "share form");
  return async (share) => requireAllowed(await take(share, ctx.now()), "verdicts and comments");
}

/** Opens the limit. Counts a visit of a client to a share. @throws {Problem} 429 after too many */
export function shareVisitLimit(ctx: Needs): (share: string, address: string) => Promise<void> {
  const take = openLimiter(ctx, visits, "share visit");
  return async (share, address) =>
    requireAllowed(await take(`${share} ${clientNetwork(address)}`, ctx.now()), "visits of this link");
}

function requireAllowed({ allowed, resetSeconds }: RateLimitResult, what: string): void {
  if (allowed) return;
  throw new Problem(429, `Too many ${what}. Try again in ${resetSeconds} seconds.`, {
    "retry-after": String(resetSeconds),
  });
}
