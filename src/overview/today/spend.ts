/** What was spent today, against the two weeks before. */
import type { Caller } from "../../core/auth/caller.ts";
import { dayMicros, dayOf, toMicros } from "../../core/lib/time.ts";
import { medianOf } from "../../core/today/median.ts";
import type { OverviewContext } from "../context.ts";
import type { Today } from "./schema.ts";

const daysBefore = 14;
/** Projects whose usage is read: those that were active last. */
const projectsMax = 500;

/** The cost of today and of each of the 14 days before, in USD. */
export async function loadSpend(
  { data, now }: OverviewContext,
  { projects }: Caller,
): Promise<Today["spend"]> {
  const days = Array.from({ length: daysBefore + 1 }, (_, at) =>
    dayOf(now() - (daysBefore - at) * dayMicros),
  );
  const activeSince = toMicros(`${days[0]}T00:00:00Z`);
  const known = await data.projects(projects, { limit: projectsMax });
  const active = known.filter(({ lastActivity }) => (lastActivity ?? 0) >= activeSince);
  const rows = await data.dailyCosts(
    active.map(({ slug }) => slug),
    days,
  );
  const costs = days.map((day) =>
    rows.filter((row) => row.day === day).reduce((sum, row) => sum + row.cost_equiv, 0),
  );
  return {
    today: costs.at(-1) as number,
    usual: medianOf(costs.slice(0, -1)),
    days: days.map((day, at) => ({ day, cost_equiv: costs[at] as number })),
  };
}
