/** The part of the data port that budgets use. */
import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { UsageRow } from "../rows.ts";
import type { UsageRange } from "../usage/port.ts";
import type { Interval } from "../usage/schema.ts";
import type { Threshold } from "./schema.ts";

/** The work that a budget counts; null is any. Events without a project are never counted. */
export interface BudgetScope {
  project: string | null;
  lane: string | null;
  model: string | null;
}

export interface BudgetRow extends BudgetScope {
  id: number;
  period: Interval;
  /** USD. */
  amount: number;
  /** The first day of the first period that is counted. */
  since: string;
  changed_by: string;
  changed_at: Micros;
}

/** What is spent of a budget in one period. */
export interface SpendingRow {
  budget: number;
  /** First day of the period. */
  start: string;
  /** USD. */
  spent: number;
  /** The highest threshold that a notice was written for. */
  notified: Threshold;
}

export interface BudgetReads {
  /** The budgets whose project the caller may read, those without one only for a caller of all projects. */
  budgets(projects: Projects): Promise<BudgetRow[]>;
  /** What is spent in the periods that a day is in; a budget without cost has no row. */
  spendingOn(day: string): Promise<SpendingRow[]>;
  /** The cost of this work on each day of a range, from the daily sums; days without cost are left out. */
  costByDay(scope: BudgetScope, range: UsageRange): Promise<Pick<UsageRow, "day" | "cost_equiv">[]>;
}

export interface BudgetWrites {
  /** @returns its id */
  addBudget(budget: Omit<BudgetRow, "id">): Promise<number>;
  changeBudget(id: number, change: Pick<BudgetRow, "amount" | "changed_by" | "changed_at">): Promise<void>;
  /** Also removes what it has counted. */
  removeBudget(id: number): Promise<void>;
  /** Replaces what is spent and notified in a period. */
  setSpending(row: SpendingRow): Promise<void>;
}
