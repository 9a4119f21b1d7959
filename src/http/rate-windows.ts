/**
 * Fixed windows of clients in bounded memory: each operation takes constant time, however many clients there
 * are.
 */
import type { Micros } from "../lib/time.ts";

/** Clients that are counted; as many more may have used up their quota. */
const clientsMax = 100_000;

interface Window {
  endsAt: Micros;
  used: number;
}

/**
 * A map that knows its oldest entry. One iterator passes each entry once: a new one would step over all
 * deleted ones again.
 */
class Queue<W> {
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
 * When all places are taken, the oldest window goes, but never that of a client that used up its quota: it
 * would come back to a new one. Where even those fill their places, new clients share one window until some
 * have ended.
 */
export class RateWindows<W extends Window> {
  readonly #counting = new Queue<W>();
  readonly #exhausted = new Queue<W>();
  #shared: W | undefined;

  constructor(
    readonly length: Micros,
    readonly quota: number,
    readonly open: (endsAt: Micros) => W,
    readonly max: number = clientsMax,
  ) {}

  at(client: string, now: Micros): W {
    const known = this.#counting.get(client) ?? this.#exhausted.get(client);
    if (known && !this.#hasEnded(known, now)) return known;
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

  /** A clock set back must not lock a client out, so a window from the future is over as well. */
  #hasEnded({ endsAt }: W, now: Micros): boolean {
    return now >= endsAt || now < endsAt - this.length;
  }

  /** @returns false where every window belongs to a client that used up its quota */
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
