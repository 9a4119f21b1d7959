/** Fixed-window rate limit for each client, and its headers (draft-ietf-httpapi-ratelimit-headers). */
import type { Config } from "../../../core/config.ts";
import { type Micros, secondMicros } from "../../../core/lib/time.ts";

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

/** Maximum number of windows below their quota, and of windows that used it up. */
const clientsMax = 100_000;

interface Window {
  endsAt: Micros;
  used: number;
}

/**
 * An insertion-ordered map with access to its oldest entry. It reuses one iterator: a new one would step over
 * all deleted entries again.
 */
class InsertionQueue<W> {
  readonly #map = new Map<string, W>();
  #entries = this.#map.entries();
  #front: [string, W] | undefined;

  get = (key: string): W | undefined => this.#map.get(key);
  delete = (key: string): boolean => this.#map.delete(key);
  get size(): number {
    return this.#map.size;
  }

  add(key: string, value: W): void {
    this.#map.delete(key);
    this.#map.set(key, value);
  }

  oldest(): [string, W] | undefined {
    while (this.#map.size > 0 && (!this.#front || this.#map.get(this.#front[0]) !== this.#front[1])) {
      const next = this.#entries.next();
      if (next.done) this.#entries = this.#map.entries();
      else this.#front = next.value;
    }
    return this.#map.size > 0 ? this.#front : undefined;
  }
}

/**
 * The current window of each client. When full, it evicts the oldest window, but never an exhausted one: that
 * client would start over with a new quota. If exhausted windows fill their share too, new clients share one
 * window until some end.
 */
export class RateWindows<W extends Window> {
  readonly #counting = new InsertionQueue<W>();
  readonly #exhausted = new InsertionQueue<W>();
  #shared: W | undefined;

  constructor(
    readonly length: Micros,
    readonly quota: number,
    readonly open: (endsAt: Micros) => W,
    readonly max: number = clientsMax,
  ) {}

  /** The current window of the client; opens one if there is none. */
  at(client: string, now: Micros): W {
    const current = this.#counting.get(client) ?? this.#exhausted.get(client);
    if (current && !this.#hasEnded(current, now)) return current;
    this.#counting.delete(client);
    this.#exhausted.delete(client);
    if (!this.#makeRoom(now)) {
      if (!this.#shared || this.#hasEnded(this.#shared, now)) this.#shared = this.open(now + this.length);
      return this.#shared;
    }
    const window = this.open(now + this.length);
    this.#counting.add(client, window);
    return window;
  }

  /** A window from the future has ended too, or a clock set back would lock a client out. */
  #hasEnded({ endsAt }: W, now: Micros): boolean {
    return now >= endsAt || now < endsAt - this.length;
  }

  /** @returns false if every window is exhausted */
  #makeRoom(now: Micros): boolean {
    const oldest = this.#counting.size < this.max ? undefined : this.#counting.oldest();
    if (!oldest) return true;
    const [client, window] = oldest;
    if (!this.#hasEnded(window, now) && window.used >= this.quota) {
      for (
        let front = this.#exhausted.oldest();
        front && this.#hasEnded(front[1], now);
        front = this.#exhausted.oldest()
      )
        this.#exhausted.delete(front[0]);
      if (this.#exhausted.size >= this.max) return false;
      this.#exhausted.add(client, window);
    }
    this.#counting.delete(client);
    return true;
  }
}
