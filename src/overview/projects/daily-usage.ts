/** What ran and was spent in each of several projects, for a page of them. */

import { dayMicros, dayOf } from "../../core/lib/time.ts";
import type { OverviewContext } from "../context.ts";
import type { DailyUsageRow } from "../rows.ts";

/** The usage of these projects in the last days up to today, by project; one read for all of them. */
export async function loadDailyUsage(
  { data, now }: OverviewContext,
  slugs: readonly string[],
  days: number,
): Promise<Map<string, DailyUsageRow[]>> {
  const range = { from: dayOf(now() - (days - 1) * dayMicros), to: dayOf(now()) };
  return Map.groupBy(await data.dailyUsage(slugs, range), ({ project }) => project);
}
