/** A fixed window for each client, and its header fields (draft-ietf-httpapi-ratelimit-headers). */
import type { Config } from "../config.ts";
import type { Micros } from "../lib/time.ts";
import { secondMicros } from "../lib/time.ts";
import { Windows } from "./rate-windows.ts";

export interface Taken {
  allowed: boolean;
  remaining: number;
  /** Seconds until the window ends, at least 1. */
  resetSeconds: number;
}

export type RateLimit = NonNullable<Config["rateLimit"]>;

/** One more request of a client. @param cost 0: counts nothing, and only tells whether one more is allowed */
export type Take = (client: string, now: Micros, cost?: 0 | 1) => Taken | Promise<Taken>;

/** Of this process alone. */
export function rateLimiter({
  quota,
  seconds,
}: RateLimit): (client: string, now: Micros, cost?: 0 | 1) => Taken {
  const windows = new Windows(seconds * secondMicros, quota, (endsAt) => ({ endsAt, used: 0 }));
  return (client, now, cost = 1) => {
    const window = windows.at(client, now);
    const place = window.used + 1;
    window.used += cost;
    return taken(quota, place, window.endsAt, now);
  };
}

/** What the request that is the `place`th of its window is told. */
export const taken = (quota: number, place: number, endsAt: Micros, now: Micros): Taken => ({
  allowed: place <= quota,
  remaining: Math.max(0, quota - place),
  resetSeconds: Math.max(1, Math.ceil((endsAt - now) / secondMicros)),
});

export const rateLimitFields = (
  { quota, seconds }: RateLimit,
  { remaining, resetSeconds }: Taken,
): Record<string, string> => ({
  "ratelimit-policy": `"default";q=${quota};w=${seconds}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
});
