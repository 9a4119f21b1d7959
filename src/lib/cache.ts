/**
 * The caches of the program. A `Cache` is bounded and drops its entries when what they were made from
 * changes; `perObject` remembers one value per object, for as long as that object exists.
 */

/** Identifies a state of the data that entries are made from. Null: unknown, so nothing is cached. */
type Edition = string | number | null;

export interface CacheOptions {
  /** Bounds the entries, rounded up to an even number: beyond it, those not used lately are evicted. */
  max: number;
  /** Read on every access: when it changes, all entries are dropped. */
  edition?: () => Edition;
  /** All entries are dropped together this often, so none is older. */
  maxAgeMs?: number;
}

/**
 * Evicts by generation, which approximates LRU at the price of one lookup per hit: entries are added to the
 * young generation, and when that holds half of `max`, it replaces the old one. A hit in the old generation
 * moves the entry to the young one. Values must not be undefined.
 */
export class Cache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #edition: Edition = null;
  #emptiedAt = 0;
  #generation = 0;
  /** Whether entries can be outdated. Others skip the check, which is most of a hit (`bun run bench append`). */
  #expires: boolean;

  constructor(readonly options: CacheOptions) {
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
    if (this.#young.size >= this.options.max / 2 && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
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
