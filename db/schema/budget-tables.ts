/** The tables of budgets. */
import type { Threshold } from "../../src/feed/budgets/schema.ts";
import type { Interval } from "../../src/feed/usage/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineBudgetTables = ({ table, serial, int, real, text }: ColumnKit) => ({
  /** What work should cost at most in a period; project, lane and model are null for any. */
  budgets: table("budgets", {
    id: serial(),
    project: text(),
    lane: text(),
    model: text(),
    period: text().$type<Interval>().notNull(),
    amount: real().notNull(),
    /** The first day of the first period that is counted. */
    since: text().notNull(),
    changed_by: text().notNull(),
    changed_at: int().notNull(),
  }),
  /** What each budget has spent in a period, updated with every append. */
  budget_periods: table("budget_periods", {
    budget: int().notNull(),
    start: text().notNull(),
    spent: real().notNull(),
    notified: int().$type<Threshold>().notNull(),
  }),
});
