/** Arithmetic of usage. */
import { type UsageSums, usageFieldNames } from "./schema.ts";

/** Sums stop here instead of overflowing: an append must not fail because a client reports absurd counts. */
export const sumMax = Number.MAX_SAFE_INTEGER;

/** The sum, at most the largest integer that both databases store. */
export const boundedAdd = (sum: number, more: number): number => Math.min(sumMax, sum + more);

/** Spelled out, as below: a report copies and adds thousands, which takes a loop of the fields far longer. */
export const usageOf = (of: UsageSums): UsageSums => ({
  runs: of.runs,
  failures: of.failures,
  merges: of.merges,
  tokens_in: of.tokens_in,
  tokens_out: of.tokens_out,
  cache_read: of.cache_read,
  cache_write: of.cache_write,
  cost_equiv: of.cost_equiv,
});

// safe because: these are all of its fields
const zero = Object.fromEntries(usageFieldNames.map((field) => [field, 0])) as unknown as UsageSums;
export const noUsage = (): UsageSums => usageOf(zero);

/** Adds to a sum, in place. */
export function addSums(sum: UsageSums, more: UsageSums): void {
  sum.runs = boundedAdd(sum.runs, more.runs);
  sum.failures = boundedAdd(sum.failures, more.failures);
  sum.merges = boundedAdd(sum.merges, more.merges);
  sum.tokens_in = boundedAdd(sum.tokens_in, more.tokens_in);
  sum.tokens_out = boundedAdd(sum.tokens_out, more.tokens_out);
  sum.cache_read = boundedAdd(sum.cache_read, more.cache_read);
  sum.cache_write = boundedAdd(sum.cache_write, more.cache_write);
  sum.cost_equiv = boundedAdd(sum.cost_equiv, more.cost_equiv);
}

/** Adds to the sum of a group. */
export function addTo(sums: Map<string, UsageSums>, name: string, usage: UsageSums): void {
  const sum = sums.get(name);
  if (sum) addSums(sum, usage);
  else sums.set(name, usageOf(usage));
}

/** Whether any field is not zero. */
export const hasUsage = (usage: UsageSums): boolean => usageFieldNames.some((field) => usage[field] !== 0);

/** The cost without the noise of adding fractions, to a billionth of a dollar. */
export const rounded = (usage: UsageSums): UsageSums => ({
  ...usage,
  cost_equiv: Number(usage.cost_equiv.toFixed(9)),
});

/** What a merged pull request cost, to a billionth of a dollar; null without a merge. */
export const costPerMerge = ({
  cost_equiv,
  merges,
}: Pick<UsageSums, "cost_equiv" | "merges">): number | null =>
  merges === 0 ? null : Number((cost_equiv / merges).toFixed(9));

/** The sum of each field. */
export function sumOf(all: Iterable<UsageSums>): UsageSums {
  const total = noUsage();
  for (const sums of all) addSums(total, sums);
  return rounded(total);
}

/** What is left of a total, never below 0: a run may have days outside of the range. */
export function difference(total: UsageSums, part: UsageSums): UsageSums {
  const rest = noUsage();
  for (const field of usageFieldNames) rest[field] = Math.max(0, total[field] - part[field]);
  return rounded(rest);
}
