/** Whether a row got slower between two commits, and how sure that is. */

/** What a row took on the other commit and on this one, measured one right after the other. */
export type Pair = readonly [other: number, own: number];

export interface Change {
  /** Median of the pairs: 1.05 is 5 % slower. */
  ratio: number;
  /** The quarters of the pairs below and above are beyond these. */
  low: number;
  high: number;
  /** The median is over the limit. */
  seemsSlower: boolean;
  /** And so few pairs disagree that it is not the noise of the machine. */
  isSlower: boolean;
}

const slowerMin = 1.05;

/**
 * A machine that does something else now and then makes single pairs slower, some of them by far more than 5 %, and
 * others faster. So a row is slower if the median is over 5 % and all pairs but the lowest quarter are slower at all:
 * three of three, six of seven.
 */
export function changeOf(pairs: readonly Pair[]): Change {
  const ratios = pairs.map(([other, own]) => (own === other ? 1 : own / other)).toSorted((a, b) => a - b);
  const quarter = Math.floor((ratios.length - 1) / 4);
  const at = (index: number) => ratios[index] as number;
  const [ratio, low, high] = [at(ratios.length >> 1), at(quarter), at(ratios.length - 1 - quarter)];
  const seemsSlower = ratio > slowerMin;
  return { ratio, low, high, seemsSlower, isSlower: seemsSlower && low > 1 };
}
