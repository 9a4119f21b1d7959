/** Reads of budgets. There are at most a hundred, and what they have spent is in the primary key of its table. */

import { and, asc, type Column, eq, getTableColumns, gte, inArray, lte, sql, type Table } from "drizzle-orm";
import { startsOn } from "../../../src/feed/budgets/spending.ts";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { BudgetScope, UsageRange, UsageRow } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { elements } from "../../query/sql.ts";
import { isHead, selectPending } from "../head.ts";
import { joinedRows, markIncomplete } from "../pending.ts";
import { visibleSlugs } from "../usage/slugs.ts";
import type { UsageTable } from "../usage/sums.ts";

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

/** A range of days of each project, in the primary key of the daily sums: a person has none by lane or model. */
export async function costByDay(
  session: Session,
  { project, ...scope }: BudgetScope,
  { from, to }: UsageRange,
): Promise<Pick<UsageRow, "day" | "cost_equiv">[]> {
  const slugs = JSON.stringify(project === null ? await visibleSlugs(session, null) : [project]);
  const select = selectDays(session)(scope);
  const rows = await select.execute({ slugs, from, to, ...scope });
  return markIncomplete(
    rows,
    joinedRows<Pick<UsageRow, "day" | "cost_equiv">>(rows, "day").filter(({ cost_equiv }) => cost_equiv > 0),
  );
}

type OwnedScope = Omit<BudgetScope, "project">;

/** A statement for each choice of what is one and not any: a lane and a model, or a team and a person. */
const selectDays = preparedStatement((session) => {
  const ofModels = statements(session, "usage", "lane", "model");
  const ofOwners = statements(session, "person_usage", "team", "person");
  return (scope: OwnedScope) => ((scope.team ?? scope.person) === null ? ofModels(scope) : ofOwners(scope));
});

function statements(session: Session, table: UsageTable, first: keyof OwnedScope, second: keyof OwnedScope) {
  const any = { any: selectDaysOf(session, table), one: selectDaysOf(session, table, second) };
  const one = { any: selectDaysOf(session, table, first), one: selectDaysOf(session, table, first, second) };
  const which = (value: string | null) => (value === null ? "any" : "one");
  return (scope: OwnedScope) => ({ any, one })[which(scope[first])][which(scope[second])];
}

function selectDaysOf(session: Session, name: UsageTable, ...fields: (keyof OwnedScope)[]) {
  const { db, t, dialect } = session;
  const table: Table = t[name];
  const columns: Record<string, Column> = getTableColumns(table);
  const column = (of: string) => columns[of] as Column;
  const slugs = sql`select value from ${elements(dialect, sql.placeholder("slugs"))}`;
  return db
    .select({
      day: sql<string>`${column("day")}`.as("day"),
      cost_equiv: sql<number>`sum(${column("cost_equiv")})`.mapWith(Number),
      pending: selectPending.as("pending"),
    })
    .from(t.feed_head)
    .leftJoin(
      table,
      and(
        dialect.isIn(column("project"), slugs),
        gte(column("day"), sql.placeholder("from")),
        lte(column("day"), sql.placeholder("to")),
        ...fields.map((field) => eq(column(field), sql.placeholder(field))),
      ),
    )
    .where(isHead(session))
    .groupBy(sql`${column("day")}`)
    .prepare();
}
