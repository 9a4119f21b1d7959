/** Reads of budgets. There are at most a hundred, and what they have spent is in the primary key of its table. */

import { and, asc, eq, gte, inArray, lte, type SQL, sql } from "drizzle-orm";
import { startsOn } from "../../../src/feed/budgets/spending.ts";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { BudgetScope, UsageRange, UsageRow } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { elements } from "../../query/sql.ts";
import { isHead, selectPending } from "../head.ts";
import { joinedRows, markIncomplete } from "../pending.ts";
import { visibleSlugs } from "../usage/slugs.ts";

export const budgetReads = (session: Session) => {
  const { db, t } = session;
  const { budgets, budget_periods } = t;
  return {
    budgets: (projects) =>
      db
        .select()
        .from(budgets)
        .where(projects === null ? undefined : inArray(budgets.project, [...projects]))
        .orderBy(asc(budgets.id)),
    spendingOn(day) {
      const starts = startsOn(day);
      const start = sql`case ${budgets.period} when 'day' then ${starts.day}
        when 'week' then ${starts.week} else ${starts.month} end`;
      return db
        .select({
          budget: budget_periods.budget,
          start: budget_periods.start,
          spent: budget_periods.spent,
          notified: budget_periods.notified,
        })
        .from(budgets)
        .innerJoin(
          budget_periods,
          and(eq(budget_periods.budget, budgets.id), eq(budget_periods.start, start)),
        );
    },
    costByDay: (scope, range) => costByDay(session, scope, range),
  } satisfies Partial<FeedReads>;
};

/** A range of days of each project, in the primary key of the daily sums. */
export async function costByDay(
  session: Session,
  { project, lane, model }: BudgetScope,
  { from, to }: UsageRange,
): Promise<Pick<UsageRow, "day" | "cost_equiv">[]> {
  const slugs = JSON.stringify(project === null ? await visibleSlugs(session, null) : [project]);
  const select = selectDays(session)[lane === null ? "any" : "one"][model === null ? "any" : "one"];
  const rows = await select.execute({ slugs, from, to, lane, model });
  return markIncomplete(
    rows,
    joinedRows<Pick<UsageRow, "day" | "cost_equiv">>(rows, "day").filter(({ cost_equiv }) => cost_equiv > 0),
  );
}

/** A statement for any lane or one, and any model or one. */
const selectDays = preparedStatement((session) => {
  const { db, t, dialect } = session;
  const { feed_head, usage } = t;
  const slugs = sql`select value from ${elements(dialect, sql.placeholder("slugs"))}`;
  const select = (...more: SQL[]) =>
    db
      .select({
        day: usage.day,
        cost_equiv: sql<number>`sum(${usage.cost_equiv})`.mapWith(Number),
        pending: selectPending.as("pending"),
      })
      .from(feed_head)
      .leftJoin(
        usage,
        and(
          dialect.isIn(usage.project, slugs),
          gte(usage.day, sql.placeholder("from")),
          lte(usage.day, sql.placeholder("to")),
          ...more,
        ),
      )
      .where(isHead(session))
      .groupBy(usage.day)
      .prepare();
  const lane = eq(usage.lane, sql.placeholder("lane"));
  const model = eq(usage.model, sql.placeholder("model"));
  return { any: { any: select(), one: select(model) }, one: { any: select(lane), one: select(lane, model) } };
});
