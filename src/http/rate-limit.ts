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

export type RateLimit = NonNullable<Config["rateLimit"]>;

/** One more request of a client. */
export type Take = (client: string, now: Micros) => Taken | Promise<Taken>;

/** Beyond this many clients the ended windows are forgotten, then the oldest. */
const clientsMax = 100_000;

/** Windows of clients, each with what is counted in it. */
export class Windows<W extends { endsAt: Micros }> {
  readonly #windows = new Map<string, W>();

  constructor(
    readonly length: Micros,
    readonly open: (endsAt: Micros) => W,
  ) {}

  at(client: string, now: Micros): W {
    let window = this.#windows.get(client);
    // A clock set back must not lock a client out, so a window from the future is over as well.
    if (!window || now >= window.endsAt || now < window.endsAt - this.length) {
      if (this.#windows.size >= clientsMax) this.#makeRoom(now);
      this.#windows.delete(client);
      this.#windows.set(client, (window = this.open(now + this.length)));
    }
    return window;
  }

  #makeRoom(now: Micros): void {
    for (const [client, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(client);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= clientsMax && oldest !== undefined) this.#windows.delete(oldest);
  }
}

/** Of this process alone. */
export function rateLimiter({ quota, seconds }: RateLimit): (client: string, now: Micros) => Taken {
  const windows = new Windows(seconds * secondMicros, (endsAt) => ({ endsAt, used: 0 }));
  return (client, now) => {
    const window = windows.at(client, now);
    return taken(quota, ++window.used, window.endsAt, now);
  };
}

/** What the request that is the `place`th of its window is told. */
export const taken = (quota: number, place: number, endsAt: Micros, now: Micros): Taken => ({
  allowed: place <= quota,
  remaining: Math.max(0, quota - place),
  resetSeconds: Math.max(1, Math.ceil((endsAt - now) / secondMicros)),
});

export const rateLimitFields = ({ quota, seconds }: RateLimit, { remaining, resetSeconds }: Taken): Record<string, string> => ({
  "ratelimit-policy": `"default";q=${quota};w=${seconds}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
});
