/** What budgets have spent, summed again from the daily sums. */
import { and, asc, eq, isNotNull } from "drizzle-orm";
import { dayOf } from "../../../src/core/lib/time.ts";
import { budgetName, counts, startsOn } from "../../../src/feed/budgets/spending.ts";
import { readEvent } from "../../../src/feed/render-event.ts";
import type { BudgetRow, BudgetScope, SpendingRow } from "../../../src/feed/rows.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import type { Session } from "../../engine/session.ts";
import { WrongRows } from "../../query/wrong-rows.ts";
import { arePending } from "../head.ts";
import { costByDay } from "./reads.ts";
import { budgetWrites } from "./writes.ts";

/** A period whose row is not what its days have cost. */
interface WrongPeriod extends SpendingRow {
  name: string;
}

/** After any day that is counted. */
const lastDay = "9999-12-31";

/** Floating-point sums depend on the order of their addends. */
const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * (1 + Math.abs(b));

async function wrongPeriods(session: Session): Promise<WrongPeriod[]> {
  const { db, t } = session;
  const wrong: WrongPeriod[] = [];
  const pending = await readPending(session);
  for (const budget of await db.select().from(t.budgets).orderBy(asc(t.budgets.id))) {
    const rows = await db.select().from(t.budget_periods).where(eq(t.budget_periods.budget, budget.id));
    const stored = new Map(rows.map((row) => [row.start, row]));
    const summed = await sumPeriods(session, budget, pending);
    for (const start of new Set([...stored.keys(), ...summed.keys()])) {
      const row = stored.get(start);
      const spent = summed.get(start) ?? 0;
      if (isClose(row?.spent ?? 0, spent)) continue;
      const name = `${budgetName(budget)} ${start}`;
      wrong.push({ name, budget: budget.id, start, spent, notified: row?.notified ?? 0 });
    }
  }
  return wrong;
}

/** The cost of each period that a budget counts, by its first day. */
async function sumPeriods(
  session: Session,
  budget: BudgetRow,
  pending: readonly CostlyEvent[],
): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  const more = pending.filter((event) => counts(budget, event) && dayOf(event.ts) >= budget.since);
  for (const { day, cost_equiv } of [
    ...(await costByDay(session, budget, { from: budget.since, to: lastDay })),
    ...more.map(({ ts, cost_equiv }) => ({ day: dayOf(ts), cost_equiv })),
  ]) {
    const start = startsOn(day)[budget.period];
    sums.set(start, (sums.get(start) ?? 0) + cost_equiv);
  }
  return sums;
}

type CostlyEvent = Pick<EventRow, "ts" | keyof BudgetScope | "cost_equiv">;

/** The events that budgets count already, but the daily sums do not. */
async function readPending(session: Session): Promise<CostlyEvent[]> {
  const { db, t } = session;
  const { ts, project, wire } = t.events;
  const rows = await db
    .select({ ts, wire })
    .from(t.events)
    .where(and(isNotNull(project), arePending(session)));
  return rows.map(readEvent).filter(({ cost_equiv }) => cost_equiv !== 0);
}

/** The names of budgets and periods that differ from the daily sums. */
export async function findWrongBudgets(session: Session): Promise<WrongRows> {
  const wrong = new WrongRows();
  wrong.add(...(await wrongPeriods(session)).map(({ name }) => name));
  return wrong;
}

/** A threshold that is reached by this is told with the next event that a budget counts. */
export async function rebuildBudgets(session: Session): Promise<void> {
  const { setSpending } = budgetWrites(session);
  for (const { name: _, ...row } of await wrongPeriods(session)) await setSpending(row);
}
