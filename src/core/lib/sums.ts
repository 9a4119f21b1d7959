/** Sums stop here instead of overflowing: an append must not fail because a client reports absurd counts. */
export const sumMax = Number.MAX_SAFE_INTEGER;

/** The sum, at most the largest integer that both databases store. */
export const boundedAdd = (sum: number, more: number): number => Math.min(sumMax, sum + more);
