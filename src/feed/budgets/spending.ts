/** Arithmetic of budgets: what counts, and which threshold is reached. */

import type { BudgetScope } from "../rows.ts";
import { addDays, nextStart, startOf } from "../usage/ranges.ts";
import { type Interval, intervals } from "../usage/schema.ts";
import { scopeFields, type Threshold, thresholds } from "./schema.ts";

/** Sums of the same costs differ in their last digits, by the order of the events. */
const tolerance = 1e-9;

const percentOf = (spent: number, amount: number): number => (spent / amount) * 100 + tolerance;

/** The highest threshold that is reached. */
export const thresholdOf = (spent: number, amount: number): Threshold =>
  thresholds.findLast((threshold) => percentOf(spent, amount) >= threshold) ?? 0;

/** What is spent in whole percent, rounded down: 100 only once all is spent. */
export const wholePercent = (spent: number, amount: number): number => Math.floor(percentOf(spent, amount));

/** Whether a budget counts an event of a project. */
export const counts = (budget: BudgetScope, event: BudgetScope): boolean =>
  scopeFields.every((field) => budget[field] === null || budget[field] === event[field]);

/** Whether two budgets count the same work. */
export const sameScope = (a: BudgetScope, b: BudgetScope): boolean =>
  scopeFields.every((field) => a[field] === b[field]);

type Starts = Readonly<Record<Interval, string>>;

/** The first day of the period of each kind that a day is in. */
export const startsOn = (day: string): Starts =>
  // safe because: these are all intervals
  Object.fromEntries(intervals.map((period) => [period, startOf(day, period)])) as Starts;

/** The last day of a period. */
export const endOf = (start: string, period: Interval): string => addDays(nextStart(start, period), -1);

/** What a budget counts and its period, such as "atlas, team platform, month". */
export function budgetName(budget: BudgetScope & { period: Interval }): string {
  const { project, team, person, lane, model, period } = budget;
  const work = [project, team && `team ${team}`, person, lane, model].filter(Boolean);
  return [...(work.length > 0 ? work : ["everything"]), period].join(", ");
}

/** An amount such as $160.20, without cents if it has none. */
export const dollars = (amount: number): string =>
  `$${amount.toLocaleString("en-US", {
    minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
    maximumFractionDigits: 2,
  })}`;

/** Such as "$160.20 of $200 (80%)". */
export const spentText = (spent: number, amount: number): string =>
  `${dollars(spent)} of ${dollars(amount)} (${wholePercent(spent, amount)}%)`;
