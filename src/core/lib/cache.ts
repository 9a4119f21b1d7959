/**
 * The caches of the program. A `Cache` is bounded in entries and bytes, and drops its entries when what they
 * were made from changes; `perObject` remembers one value per object, for as long as that object exists.
 */
import { copyText } from "./strings/copy-text.ts";

/** Identifies a state of the data that entries are made from. Null: unknown, so nothing is cached. */
type Edition = string | number | null;

interface Bounds {
  /** Bounds the entries, rounded up to an even number: beyond it, those not used lately are evicted. */
  max: number;
  /** Bounds keys and values in the same way. An eighth is the most that one entry can have. Default 8 MiB. */
  bytesMax?: number;
  /** Read on every access: when it changes, all entries are dropped. */
  edition?: () => Edition;
  /** All entries are dropped together this often, so none is older. */
  maxAgeMs?: number;
}

/** Values whose bytes are known. */
type Measured = string | number | boolean | null | Uint8Array;

/** A cache of objects says how large they are. */
export type CacheOptions<V> = Bounds &
  ([V] extends [Measured] ? { bytesOf?: undefined } : { bytesOf(value: V): number });

/** For values of limited size, such as statements: their number bounds them. */
export const boundedByCount = (): number => 0;

/** The bytes of text, at most: the runtime takes one for each character of Latin-1, two for any other. */
export const textBytes = (text: string): number => 2 * text.length;

function measure(value: unknown): number {
  if (typeof value === "string") return textBytes(value);
  return value instanceof Uint8Array ? value.byteLength : 0;
}

const usualBytesMax = 8 * 2 ** 20;

/**
 * Evicts by generation, which approximates LRU at the price of one lookup per hit: entries are added to the
 * young generation, and when that holds half of what is allowed, it replaces the old one. A hit in the old
 * generation moves the entry to the young one. Values must not be undefined.
 */
export class Cache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  /** Of the young generation. */
  #bytes = 0;
  readonly #bytesMax: number;
  readonly #bytesOf: (value: V) => number;
  #edition: Edition = null;
  #emptiedAt = 0;
  #generation = 0;
  /** Whether entries can be outdated. Others skip the check, which is most of a hit (`bun run bench append`). */
  #expires: boolean;

  constructor(readonly options: CacheOptions<V>) {
    this.#bytesMax = options.bytesMax ?? usualBytesMax;
    this.#bytesOf = options.bytesOf ?? measure;
    this.#expires = options.edition !== undefined || options.maxAgeMs !== undefined;
  }

  get(key: K): V | undefined {
    if (this.#expires && this.generation === null) return undefined;
    const value = this.#young.get(key);
    if (value !== undefined || this.#old.size === 0) return value;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** @param generation the one that the value was made in: once it has ended, the value is not stored */
  set(key: K, value: V, generation: number | null = this.#generation): void {
    if (generation !== this.#generation || (this.options.edition && this.#edition === null)) return;
    this.delete(key);
    const bytes = measure(key) + this.#bytesOf(value);
    if (bytes > this.#bytesMax / 8) return;
    if (this.#young.size >= this.options.max / 2 || this.#bytes + bytes > this.#bytesMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    this.#young.set(typeof key === "string" ? (copyText(key) as K & string) : key, value);
  }

  delete(key: K): void {
    const deleted = this.#young.get(key);
    if (deleted !== undefined) this.#bytes -= measure(key) + this.#bytesOf(deleted);
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#bytes = 0;
    this.#emptiedAt = performance.now();
    this.#generation++;
  }

  /** Returns a number that changes whenever all entries are dropped; null while nothing can be cached. */
  get generation(): number | null {
    const { edition, maxAgeMs } = this.options;
    if (edition) {
      const current = edition();
      if (current !== this.#edition) this.clear();
      this.#edition = current;
      if (current === null) return null;
    }
    if (maxAgeMs !== undefined && performance.now() - this.#emptiedAt >= maxAgeMs) this.clear();
    return this.#generation;
  }

  /** Returns the entry, or makes and stores it. */
  getOrMake(key: K, make: () => V): V {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Returns the entry, or loads it and stores it, unless all entries were dropped meanwhile. */
  async getOrLoad(key: K, load: () => Promise<V>): Promise<V> {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const generation = this.#generation;
    const value = await load();
    this.set(key, value, generation);
    return value;
  }
}

/**
 * Returns a function that calls `make` once per object and remembers the result while the object exists.
 * Further arguments are passed on to `make` and do not distinguish results.
 */
export function perObject<K extends object, V, A extends unknown[]>(
  make: (key: K, ...args: A) => V,
): (key: K, ...args: A) => V {
  const values = new WeakMap<K, V>();
  return (key, ...args) => {
    const cached = values.get(key);
    if (cached !== undefined) return cached;
    const value = make(key, ...args);
    values.set(key, value);
    return value;
  };
}
