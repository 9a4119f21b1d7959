/** Budgets as text. */
import type { BudgetCheck, BudgetState } from "./schema.ts";
import { dollars, spentText } from "./spending.ts";

/** Such as "Budget 'atlas, month' is at $160.20 of $200 (80%), $39.80 left." */
export function budgetLine({ name, spent, amount, left, percent }: BudgetState): string {
  const state = spentText(spent, amount);
  return percent >= 100
    ? `Budget '${name}' is spent: ${state}.`
    : `Budget '${name}' is at ${state}, ${dollars(left)} left.`;
}

/** What the check says in one line: the first budget that is spent, or else the one that is closest to it. */
export const checkLine = ({ budgets: [first] }: BudgetCheck): string =>
  first ? budgetLine(first) : "No budget applies.";

/** A budget a line. The names of projects, lanes and models are the deployment's own. */
export const checkText = ({ budgets }: BudgetCheck): string =>
  budgets.length === 0
    ? "No budget applies."
    : budgets.map((budget) => `${budgetLine(budget)} Until ${budget.end}.`).join("\n");
