/** Arithmetic of usage. */
import { type UsageSums, usageFieldNames } from "./schema.ts";

/** Sums stop here instead of overflowing: an append must not fail because a client reports absurd counts. */
export const sumMax = Number.MAX_SAFE_INTEGER;

/** The sum, at most the largest integer that both databases store. */
export const boundedAdd = (sum: number, more: number): number => Math.min(sumMax, sum + more);

// safe because: these are all of its fields
const zero = Object.fromEntries(usageFieldNames.map((field) => [field, 0])) as unknown as UsageSums;
export const noUsage = (): UsageSums => ({ ...zero });

/** The sums of a row. There may be ten thousand: `Object.fromEntries` takes several times as long. */
export function usageOf(row: UsageSums): UsageSums {
  const sums = noUsage();
  for (const field of usageFieldNames) sums[field] = row[field];
  return sums;
}

/** Adds to a sum, in place. */
export function addSums(sum: UsageSums, more: UsageSums): void {
  for (const field of usageFieldNames) sum[field] = boundedAdd(sum[field], more[field]);
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
