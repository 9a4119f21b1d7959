/** Rate-limit windows of clients in bounded memory. Every operation takes amortized constant time. */
import type { Micros } from "../../../core/lib/time.ts";

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
