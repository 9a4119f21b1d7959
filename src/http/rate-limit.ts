/** A fixed window for each client, and its header fields (draft-ietf-httpapi-ratelimit-headers). */
import type { Config } from "../config.ts";
import type { Micros } from "../lib/time.ts";
import { secondMicros } from "../lib/time.ts";
import { RateWindows } from "./rate-windows.ts";

export interface RateLimitResult {
  allowed: boolean;
  remaining: number;
  /** Seconds until the window ends, at least 1. */
  resetSeconds: number;
}

export type RateLimit = NonNullable<Config["rateLimit"]>;

/** One more request of a client. @param cost 0: counts nothing, and only tells whether one more is allowed */
export type RateLimiter = (
  client: string,
  now: Micros,
  cost?: 0 | 1,
) => RateLimitResult | Promise<RateLimitResult>;

/** Of this process alone. */
export function localLimiter({
  quota,
  seconds,
}: RateLimit): (client: string, now: Micros, cost?: 0 | 1) => RateLimitResult {
  const windows = new RateWindows(seconds * secondMicros, quota, (endsAt) => ({ endsAt, used: 0 }));
  return (client, now, cost = 1) => {
    const window = windows.at(client, now);
    const place = window.used + 1;
    window.used += cost;
    return rateLimitResult(quota, place, window.endsAt, now);
  };
}

/** What the request that is the `place`th of its window is told. */
export const rateLimitResult = (
  quota: number,
  place: number,
  endsAt: Micros,
  now: Micros,
): RateLimitResult => ({
  allowed: place <= quota,
  remaining: Math.max(0, quota - place),
  resetSeconds: Math.max(1, Math.ceil((endsAt - now) / secondMicros)),
});

export const rateLimitHeaders = (
  { quota, seconds }: RateLimit,
  { remaining, resetSeconds }: RateLimitResult,
): Record<string, string> => ({
  "ratelimit-policy": `"default";q=${quota};w=${seconds}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
});
