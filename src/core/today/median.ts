/** The median; of an even number of values the lower one in the middle, so that it is one of them. */
export const medianOf = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] as number;
