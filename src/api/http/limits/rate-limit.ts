/** Fixed-window rate limit for each client, and its headers (draft-ietf-httpapi-ratelimit-headers). */
import type { Config } from "../../../core/config.ts";
import type { Micros } from "../../../core/lib/time.ts";
import { secondMicros } from "../../../core/lib/time.ts";
import { RateWindows } from "./rate-windows.ts";

export interface RateLimitResult {
  allowed: boolean;
  remaining: number;
  /** Seconds until the window ends, at least 1. */
  resetSeconds: number;
}

export type RateLimit = NonNullable<Config["rateLimit"]>;

/** Counts a request of a client. @param cost 0 only checks whether another request is allowed */
export type RateLimiter = (
  client: string,
  now: Micros,
  cost?: 0 | 1,
) => RateLimitResult | Promise<RateLimitResult>;

/** Counts requests of this process only. */
export function localLimiter({
  quota,
  seconds,
}: RateLimit): (client: string, now: Micros, cost?: 0 | 1) => RateLimitResult {
  const windows = new RateWindows(seconds * secondMicros, quota, (endsAt) => ({ endsAt, used: 0 }));
  return (client, now, cost = 1) => {
    const window = windows.at(client, now);
    const position = window.used + 1;
    window.used += cost;
    return rateLimitResult(quota, position, window.endsAt, now);
  };
}

/** The result for the request at this position in its window, counted from 1. */
export const rateLimitResult = (
  quota: number,
  position: number,
  endsAt: Micros,
  now: Micros,
): RateLimitResult => ({
  allowed: position <= quota,
  remaining: Math.max(0, quota - position),
  resetSeconds: Math.max(1, Math.ceil((endsAt - now) / secondMicros)),
});

/** The `RateLimit-Policy` and `RateLimit` headers. @param policy its name */
export const rateLimitHeaders = (
  { quota, seconds }: RateLimit,
  { remaining, resetSeconds }: RateLimitResult,
  policy: string,
): Record<string, string> => ({
  "ratelimit-policy": `"${policy}";q=${quota};w=${seconds}`,
  ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
});
