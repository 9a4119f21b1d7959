/** Limits of pages, for each client or share. But for sign-ins, they do not depend on `SVC_RATE_LIMIT`. */

import { clientNetwork } from "../../../core/lib/http/client-network.ts";
import { Problem } from "../../../core/problem.ts";
import type { Context } from "../../context.ts";
import type { RateLimitResult } from "./rate-limit.ts";
import { openLimiter } from "./shared-rate-limit.ts";

const limits = {
  /** Against guessing tokens. */
  signIns: { quota: 10, seconds: 60 },
  failedLinks: { quota: 30, seconds: 60 },
  /** What people do with one share link, so that a link cannot fill the log or a version. */
  shareForms: { quota: 30, seconds: 600 },
  /** Opening, viewing and downloading, each of which writes to the log: the default of writes to the API. */
  shareVisits: { quota: 60, seconds: 60 },
  /** Of open pages of a queue, which ask every few seconds for what is new. */
  shareRefreshes: { quota: 120, seconds: 60 },
  /** Of the pictures that svc draws: a page of a queue has up to a dozen, which a browser keeps for an hour. */
  sharePictures: { quota: 600, seconds: 60 },
};

/**
 * Call after checking the token. Throws 429 if the client had too many failures before, even if this token is
 * valid.
 */
export type Admit = (address: string, isValid: boolean) => Promise<void>;

/** Opens the limit of failed sign-ins. */
export function signInLimit(ctx: Needs & Pick<Context, "config">): Admit {
  if (!ctx.config.rateLimit) return async () => {};
  const take = openLimiter(ctx, limits.signIns, "sign-in");
  return async (address, isValid) =>
    requireAllowed(await take(clientNetwork(address), ctx.now(), isValid ? 0 : 1), "failed sign-ins");
}

type Needs = Pick<Context, "data" | "now">;

/**
 * Opens the limit of requests for share links that do not work, on every route below `/s` alike. A link that
 * works is not limited: its 256 bits cannot be guessed, and others behind the same address may have mistyped
 * theirs. Counts a failure of a client. @throws {Problem} 429 after too many
 */
export function failedLinkLimit(ctx: Needs): (address: string) => Promise<void> {
  const take = openLimiter(ctx, limits.failedLinks, "share link");
  return async (address) =>
    requireAllowed(await take(clientNetwork(address), ctx.now()), "links that do not work");
}

/** Opens the limit. Counts a form of a share. @throws {Problem} 429 after too many */
export function shareFormLimit(ctx: Needs): (share: string) => Promise<void> {
  const take = openLimiter(ctx, limits.shareForms, "share form");
  return async (share) => requireAllowed(await take(share, ctx.now()), "verdicts and comments");
}

/** Opens the limit. Counts a visit of a client to a share. @throws {Problem} 429 after too many */
export function shareVisitLimit(ctx: Needs): (share: string, address: string) => Promise<void> {
  const take = openLimiter(ctx, limits.shareVisits, "share visit");
  return async (share, address) =>
    requireAllowed(await take(`${share} ${clientNetwork(address)}`, ctx.now()), "visits of this link");
}

/** Opens the limit. Counts a refresh of a queue by a client. @throws {Problem} 429 after too many */
export function shareRefreshLimit(ctx: Needs): (share: string, address: string) => Promise<void> {
  const take = openLimiter(ctx, limits.shareRefreshes, "share refresh");
  return async (share, address) =>
    requireAllowed(await take(`${share} ${clientNetwork(address)}`, ctx.now()), "refreshes of this link");
}

/** Opens the limit. Counts a picture that is drawn for a client. @throws {Problem} 429 after too many */
export function sharePictureLimit(ctx: Needs): (share: string, address: string) => Promise<void> {
  const take = openLimiter(ctx, limits.sharePictures, "share picture");
  return async (share, address) =>
    requireAllowed(await take(`${share} ${clientNetwork(address)}`, ctx.now()), "pictures of this link");
}

function requireAllowed({ allowed, resetSeconds }: RateLimitResult, what: string): void {
  if (allowed) return;
  throw new Problem(429, `Too many ${what}. Try again in ${resetSeconds} seconds.`, {
    "retry-after": String(resetSeconds),
  });
}
