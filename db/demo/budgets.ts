/** Two budgets, one of which is beyond 80%: their amounts follow from what the month has cost. */

import type { Writes } from "../../src/api/port.ts";
import { dayOf } from "../../src/core/lib/time.ts";
import { budgetNotice } from "../../src/feed/budgets/notice.ts";
import { startsOn, thresholdOf } from "../../src/feed/budgets/spending.ts";
import type { BudgetRow, SpendingRow } from "../../src/feed/rows.ts";
import type { TimedEvent } from "./draft.ts";
import { people, projects } from "./team.ts";

interface Plan {
  project: string | null;
  /** How much of the amount is spent at the end. */
  share: number;
}

/** A budget, what it has spent, and the notices of that. */
export interface DemoBudget {
  row: Omit<BudgetRow, "id">;
  spending: Omit<SpendingRow, "budget">;
  notices: TimedEvent[];
}

/** @param events of the month, in order */
export const planBudgets = (events: readonly TimedEvent[]): DemoBudget[] =>
  [
    { project: projects[0]?.slug ?? null, share: 0.83 },
    { project: null, share: 0.45 },
  ].map((plan) => planBudget(events, plan));

function planBudget(events: readonly TimedEvent[], { project, share }: Plan): DemoBudget {
  const costly = events.filter((event) => event.cost_equiv && event.project === (project ?? event.project));
  const monthOf = ({ ts }: TimedEvent) => startsOn(dayOf(ts)).month;
  const start = monthOf(costly.at(-1) as TimedEvent); // the team works every day
  const own = costly.filter((event) => monthOf(event) === start);
  const total = own.reduce((sum, { cost_equiv = 0 }) => sum + cost_equiv, 0);
  const row = {
    project,
    lane: null,
    model: null,
    period: "month" as const,
    since: start,
    amount: Math.floor(total / share) || total / share,
    changed_by: people[0] as string,
    changed_at: (own[0] as TimedEvent).ts,
  };
  const spending = { start, spent: 0, notified: thresholdOf(0, row.amount) };
  const notices: TimedEvent[] = [];
  for (const { ts, cost_equiv = 0 } of own) {
    spending.spent += cost_equiv;
    const threshold = thresholdOf(spending.spent, row.amount);
    if (threshold > spending.notified)
      notices.push({ ...budgetNotice({ ...row, id: 0 }, spending.spent), ts: ts + 1 });
    spending.notified = threshold;
  }
  return { row, spending, notices };
}

/** Adds the budgets, whose events are in the log. */
export async function addBudgets(writes: Writes, budgets: readonly DemoBudget[]): Promise<void> {
  for (const { row, spending } of budgets)
    await writes.setSpending({ ...spending, budget: await writes.addBudget(row) });
}
