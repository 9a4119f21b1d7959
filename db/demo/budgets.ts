/**
 * What the budgets of the demo have spent, which the day of the month decides. Their amounts follow, so that
 * one of them is beyond 80% at any time.
 */

import { dayOf, type Micros } from "../../src/core/lib/time.ts";
import type { ExportedRow } from "../../src/core/maintenance.ts";
import { budgetNotice } from "../../src/feed/budgets/notice.ts";
import { startsOn, thresholdOf } from "../../src/feed/budgets/spending.ts";
import type { BudgetRow } from "../../src/feed/rows.ts";
import type { Event } from "../../src/feed/schema.ts";

/** @param tables changes their budgets, periods, and notices */
export function setBudgets(tables: Map<string, ExportedRow[]>, now: Micros): void {
  const month = startsOn(dayOf(now)).month;
  // safe because: these are rows of these tables
  const budgets = tables.get("budgets") as unknown as BudgetRow[];
  const events = (tables.get("events") as unknown as { wire: string }[])
    .map((row) => ({ row, event: JSON.parse(row.wire) as Event }))
    .filter(({ event }) => event.ts >= month);
  for (const budget of budgets) {
    const own = events.filter(({ event }) => event.project === (budget.project ?? event.project));
    const spentUntil = (end: string) =>
      own.reduce((sum, { event }) => sum + (event.ts < end ? event.cost_equiv : 0), 0);
    const spent = spentUntil("9");
    const share = budget.project ? 0.83 : 0.45;
    if (spent > 0) budget.amount = Math.floor(spent / share) || spent / share;
    budget.since = month;
    const period = tables.get("budget_periods")?.find((row) => row.budget === budget.id);
    Object.assign(period ?? {}, { start: month, spent, notified: thresholdOf(spent, budget.amount) });
    for (const { row, event } of own)
      if (event.kind === "budget.reached" && budget.project && spentUntil(event.ts) > 0)
        row.wire = JSON.stringify({ ...event, summary: budgetNotice(budget, spentUntil(event.ts)).summary });
  }
}
