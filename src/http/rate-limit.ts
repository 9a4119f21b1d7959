/** A fixed window for each client, and its header fields (draft-ietf-httpapi-ratelimit-headers). */
import type { Config } from "../config.ts";
import type { Micros } from "../time.ts";
import { secondMicros } from "../time.ts";

export interface Taken {
  allowed: boolean;
  remaining: number;
  /** Seconds until the window ends, at least 1. */
  resetSeconds: number;
}

/** Beyond this many clients the ended windows are forgotten, then the oldest. */
const clientsMax = 100_000;

export type RateLimit = NonNullable<Config["rateLimit"]>;

export function rateLimiter({ quota, seconds }: RateLimit): (client: string, now: Micros) => Taken {
  const windows = new Map<string, { endsAt: Micros; used: number }>();
  const length = seconds * secondMicros;
  return (client, now) => {
    let window = windows.get(client);
    // A clock set back must not lock a client out, so a window from the future is over as well.
    if (!window || now >= window.endsAt || now < window.endsAt - length) {
      if (windows.size >= clientsMax) makeRoom(windows, now);
      windows.delete(client);
      windows.set(client, (window = { endsAt: now + length, used: 0 }));
    }
    const allowed = window.used < quota;
    if (allowed) window.used++;
    return { allowed, remaining: quota - window.used, resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / secondMicros)) };
  };
}

function makeRoom(windows: Map<string, { endsAt: Micros }>, now: Micros): void {
  for (const [client, { endsAt }] of windows) if (endsAt <= now) windows.delete(client);
  const [oldest] = windows.keys();
  if (windows.size >= clientsMax && oldest !== undefined) windows.delete(oldest);
}

export const rateLimitFields = ({ quota, seconds }: RateLimit, { remaining, resetSeconds }: Taken): Record<string, string> => ({
  "ratelimit-policy": `"default";q=${quota};w=${seconds}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
});
