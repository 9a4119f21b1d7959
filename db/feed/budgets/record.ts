/**
 * Adds the cost of appended events to the budgets that count them, in the transaction of the append: an event
 * that is appended once is counted once.
 */
import { asc, sql } from "drizzle-orm";
import { dayMicros, dayOf, type Micros } from "../../../src/core/lib/time.ts";
import { budgetNotice } from "../../../src/feed/budgets/notice.ts";
import { counts, startsOn, thresholdOf } from "../../../src/feed/budgets/spending.ts";
import type { Appendable, BudgetRow, SpendingRow } from "../../../src/feed/rows.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import type { Session } from "../../engine/session.ts";
import { pipeline, preparedStatement, preparedWrite } from "../../query/statements.ts";
import { addedTo } from "../usage/sums.ts";

/**
 * @param version of the budgets; 0 while there never were any
 * @param now the time of an event that is appended next
 * @returns a notice for each budget that reached a threshold in the current period, to be appended as well;
 * none for events of the past: the next one tells
 */
export async function recordSpending(
  session: Session,
  version: number,
  added: readonly EventRow[],
  now: Micros,
): Promise<Appendable[]> {
  const costly = costlyOf(version, added);
  if (costly.length === 0) return [];
  const budgets = await session.budgets.getOrLoad(version, () => readBudgets(session));
  const more = sumByPeriod(budgets, costly);
  if (more.length === 0) return [];
  const rows = (await addSpending(session).execute({ list: JSON.stringify(more) })) as SpendingRow[];
  const live = new Set(
    sumByPeriod(
      budgets,
      costly.filter(({ ts }) => ts >= now),
    ).map(([budget]) => budget),
  );
  return notices(
    session,
    budgets,
    rows.filter(({ budget }) => live.has(budget)),
    now,
  );
}

const costlyOf = (version: number, added: readonly EventRow[]): EventRow[] =>
  version === 0 ? [] : added.filter(({ project, cost_equiv }) => project !== null && cost_equiv !== 0);

const readBudgets = ({ db, t: { budgets } }: Session): Promise<BudgetRow[]> =>
  db.select().from(budgets).orderBy(asc(budgets.id));

type Spent = [budget: number, start: string, cost: number];

/** The cost of events by budget and period. */
function sumByPeriod(budgets: readonly BudgetRow[], events: readonly EventRow[]): Spent[] {
  const sums = new Map<string, Spent>();
  for (const [day, ofDay] of Map.groupBy(events, ({ ts }) => Math.floor(ts / dayMicros))) {
    const starts = startsOn(dayOf(day * dayMicros));
    for (const budget of budgets) {
      const start = starts[budget.period];
      if (start < budget.since) continue;
      const cost = ofDay.reduce((sum, event) => (counts(budget, event) ? sum + event.cost_equiv : sum), 0);
      if (cost === 0) continue;
      const key = `${budget.id} ${start}`;
      const sum = sums.get(key);
      if (sum) sum[2] += cost;
      else sums.set(key, [budget.id, start, cost]);
    }
  }
  return [...sums.values()];
}

// One statement for any number of budgets. "where true": SQLite would take "on conflict" for a join.
const addSpending = preparedStatement(({ db, dialect, t: { budget_periods } }) =>
  db
    .insert(budget_periods)
    .select(
      sql`select cast(value ->> 0 as bigint), value ->> 1, cast(value ->> 2 as double precision), 0
        from ${dialect.jsonElements(sql.placeholder("list"))} where true`,
    )
    .onConflictDoUpdate({
      target: [budget_periods.budget, budget_periods.start],
      set: { spent: sql.raw(addedTo("budget_periods", "spent")) },
    })
    .returning()
    .prepare(),
);

const setNotified = preparedWrite(({ db, t: { budget_periods } }) =>
  db
    .update(budget_periods)
    .set({ notified: sql`${sql.placeholder("notified")}` })
    .where(
      sql`${budget_periods.budget} = ${sql.placeholder("budget")}
        and ${budget_periods.start} = ${sql.placeholder("start")}`,
    )
    .prepare(),
);

/** Notices of the current period only: a late event of an earlier one changes nothing that is ahead. */
async function notices(
  session: Session,
  budgets: readonly BudgetRow[],
  rows: readonly SpendingRow[],
  now: Micros,
): Promise<Appendable[]> {
  const starts = startsOn(dayOf(now));
  const reached = rows.flatMap(({ budget: id, start, spent, notified }) => {
    const budget = budgets.find((one) => one.id === id) as BudgetRow;
    const threshold = thresholdOf(spent, budget.amount);
    return starts[budget.period] === start && threshold > notified
      ? [{ budget, start, spent, threshold }]
      : [];
  });
  await pipeline(
    reached.map(({ budget, start, threshold }) =>
      setNotified(session)({ budget: budget.id, start, notified: threshold }),
    ),
  );
  return reached.map(({ budget, spent }) => budgetNotice(budget, spent));
}
