/** Whether a row got slower between two commits, and how sure that is. */

/** What a row took on the other commit and on this one, measured one right after the other. */
export type Pair = readonly [other: number, own: number];

export interface Change {
  /** The estimate of the pairs: 1.05 is 5 % slower. */
  ratio: number;
  /** What it is not below, and not above: 0 and Infinity while there are too few pairs to say. */
  low: number;
  high: number;
  isSlower: boolean;
  /** Whether more pairs could say something else. */
  isOpen: boolean;
}

/** How often a measurement is taken at most, until all of its rows are certain. */
export const repeatsMax = 21;

const slowerMin = 1.05;
/** What has to be found: a row is fine once it is known to be below. */
const foundMin = 1.1;
/** A measurement without rounds is done after a first pair that is not over it. */
const hintMin = 1.025;
/** Fewer pairs have no bounds. */
const boundedMin = 5;

/** How many standard deviations of the rank a bound is off. With 1.75, all five of the fewest pairs are below it. */
const deviations = { low: 3.1, high: 2.4, highOfFew: 1.75 };

/**
 * Other work on the machine changes single pairs, some by far more than 5 %, and in both directions alike. So a row
 * is slower if it is estimated to take over 5 % more, and surely takes more at all. Both come from the means of every
 * two pairs: their median (Hodges and Lehmann, 1963) is what single pairs do not move, and their ranks have the bounds
 * of Wilcoxon's signed-rank test. Of recorded pairs that differ by 17 % (one standard deviation, at a load of 7),
 * one of 1,000 comparisons of equal code calls it slower, and 9 of 10 find 10 % more; by 5 %, 98 of 100 do
 * (change.test.ts).
 */
export function changeOf(pairs: readonly Pair[]): Change {
  const logs = pairs.map(([other, own]) => (own === other ? 0 : Math.log(own / other)));
  const means = Float64Array.from(logs.flatMap((a, at) => logs.slice(at).map((b) => (a + b) / 2))).sort();
  const count = logs.length;
  const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24);
  const rank = (times: number) => Math.floor(means.length / 2 - times * deviation);
  const { low: lowTimes, high, highOfFew } = deviations;
  const highTimes = count < 2 * boundedMin ? highOfFew : high;
  const change = {
    ratio: Math.exp(means[means.length >> 1] as number),
    low: Math.exp(means[rank(lowTimes) - 1] ?? Number.NEGATIVE_INFINITY),
    high: Math.exp(means[means.length - rank(highTimes)] ?? Number.POSITIVE_INFINITY),
  };
  const isSlower = change.ratio > slowerMin && change.low > 1;
  const isFine =
    count < boundedMin ? change.ratio <= hintMin : change.ratio <= slowerMin && change.high < foundMin;
  return { ...change, isSlower, isOpen: !isSlower && !isFine };
}
