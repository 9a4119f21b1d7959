/** Reads of budgets. There are at most a hundred, and what they have spent is in the primary key of its table. */

import { and, asc, eq, sql } from "drizzle-orm";
import { startsOn } from "../../../src/feed/budgets/spending.ts";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { BudgetScope, UsageRange, UsageRow } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { elements, preparedShapes, preparedStatement } from "../../query/statements.ts";
import { joinedRows, markIncomplete } from "../pending.ts";
import { selectDailySums } from "../usage/daily-sums.ts";
import { visibleSlugs } from "../usage/slugs.ts";
import type { UsageTable } from "../usage/sums.ts";

const selectBudgets = preparedShapes(({ db, dialect, t: { budgets } }, isOfAll: boolean) => {
  const projects = sql`select value from ${elements(dialect, sql.placeholder("projects"))}`;
  return db
    .select()
    .from(budgets)
    .where(isOfAll ? undefined : dialect.isIn(budgets.project, projects))
    .orderBy(asc(budgets.id))
    .prepare();
});

const selectSpending = preparedStatement(({ db, t: { budgets, budget_periods } }) => {
  const { budget, start, spent, notified } = budget_periods;
  const startOf = (period: string) => sql`cast(${sql.placeholder(period)} as text)`;
  const current = sql`case ${budgets.period} when 'day' then ${startOf("day")}
    when 'week' then ${startOf("week")} else ${startOf("month")} end`;
  return db
    .select({ budget, start, spent, notified })
    .from(budgets)
    .innerJoin(budget_periods, and(eq(budget, budgets.id), eq(start, current)))
    .prepare();
});

export const budgetReads = (session: Session) =>
  ({
    budgets: async (projects) =>
      selectBudgets(session, projects === null).execute({ projects: JSON.stringify(projects) }),
    spendingOn: async (day) => selectSpending(session).execute(startsOn(day)),
    costByDay: (scope, range) => costByDay(session, scope, range),
  }) satisfies Partial<FeedReads>;

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

const selectDaysOf = (session: Session, table: UsageTable, ...fields: (keyof OwnedScope)[]) =>
  selectDailySums(session, table, (column) => ({
    selected: {
      day: sql<string>`${column("day")}`.as("day"),
      cost_equiv: sql<number>`sum(${column("cost_equiv")})`.mapWith(Number),
    },
    keys: ["day"],
    conditions: fields.map((field) => eq(column(field), sql.placeholder(field))),
  }));
