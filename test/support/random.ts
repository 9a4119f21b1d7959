/** A deterministic pseudo-random number generator. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** An integer, both ends included. */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** Mulberry32: short, and uniform enough for demo data. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    // safe because: a list of the demo is never empty
    pick: <T>(list: readonly T[]) => list[between(0, list.length - 1)] as T,
  };
}
