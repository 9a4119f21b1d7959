/** Whether a row got slower between two commits, and how sure that is. */

/** What a row took on the other commit and on this one, measured one right after the other. */
export type Pair = readonly [other: number, own: number];

export interface Change {
  /** Median of the pairs: 1.05 is 5 % slower. */
  ratio: number;
  /** A sixth of the pairs is below, and another above. */
  low: number;
  high: number;
  /** The median is over the limit. */
  seemsSlower: boolean;
  /** And so few pairs disagree that it is not the noise of the machine. */
  isSlower: boolean;
  /** Whether more pairs could say something else. */
  isOpen: boolean;
}

const slowerMin = 1.05;
/** A first pair that is not over it is enough: of rows that take 10 % more, as noisy as 3 %, it misses one of 150. */
const hintMin = 1.025;
const pairsMax = 13;

/**
 * A machine that does something else now and then makes single pairs slower, some of them by far more than 5 %, and
 * others faster. So a row is slower if the median is over 5 % and all pairs but a sixth are slower at all: three of
 * three, six of seven, eleven of thirteen. Computed for pairs that differ by a tenth (one standard deviation): of 300
 * rows that did not change one is called slower, and of rows that take 15 % more five of six are.
 */
export function changeOf(pairs: readonly Pair[]): Change {
  const ratios = pairs.map(([other, own]) => (own === other ? 1 : own / other)).toSorted((a, b) => a - b);
  const sixth = Math.floor((ratios.length - 1) / 6);
  const at = (index: number) => ratios[index] as number;
  const [ratio, low, high] = [at(ratios.length >> 1), at(sixth), at(ratios.length - 1 - sixth)];
  const seemsSlower = ratio > slowerMin;
  const isCertain = ratios.length >= 5 && low > slowerMin;
  const isOpen = ratios.length < 3 ? ratio > hintMin : seemsSlower && !isCertain && ratios.length < pairsMax;
  return { ratio, low, high, seemsSlower, isSlower: seemsSlower && low > 1, isOpen };
}
