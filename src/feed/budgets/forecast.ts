/** What a period will have cost at its end. */
import type { Micros } from "../../core/lib/time.ts";
import { dayOf } from "../../core/lib/time.ts";
import { medianOf } from "../../core/today/median.ts";
import { addDays, daysIn, shareOfDay } from "../usage/ranges.ts";

/** The full days before today that say what a day costs. */
export const forecastDays = 7;
/** With fewer days that cost anything, their median is 0. */
const costlyDaysMin = 4;

/**
 * What is spent, and the median of the last seven full days for each day that is left, in part for today.
 * @param dailyCosts of those days; those without cost may be left out
 * @param end last day of the period
 * @returns USD; null if fewer than four of the days cost anything
 */
export function forecastOf(
  spent: number,
  dailyCosts: readonly number[],
  { at, end }: { at: Micros; end: string },
): number | null {
  const costly = dailyCosts.filter((cost) => cost > 0);
  if (costly.length < costlyDaysMin) return null;
  const week = [...Array.from({ length: forecastDays - costly.length }, () => 0), ...costly];
  const daysLeft = daysIn({ from: addDays(dayOf(at), 1), to: end }) + 1 - shareOfDay(at);
  return spent + medianOf(week) * daysLeft;
}
