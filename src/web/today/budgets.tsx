/** @jsxImportSource preact */
/** A line on Today about the budget that is closest to its end, from 80% on. */
import type { BudgetCheck } from "../../feed/budgets/schema.ts";
import { budgetLine } from "../../feed/budgets/text.ts";

const percentMin = 80;

export function BudgetLine({ found: { budgets } }: { found: BudgetCheck }) {
  const [first, ...others] = budgets.filter(({ percent }) => percent >= percentMin);
  return (
    <div id="today-budgets" data-live>
      {first && (
        <p class={first.percent >= 100 ? "notice" : "notice warning"}>
          {budgetLine(first)} {others.length > 0 && `${others.length} more from 80% on. `}
          <a href="/usage#budgets">All budgets</a>
        </p>
      )}
    </div>
  );
}
