/** The event that a budget has reached a threshold. */
import { ownActor } from "../../core/auth/caller.ts";
import type { Appendable, BudgetRow } from "../rows.ts";
import { budgetName, dollars, wholePercent } from "./spending.ts";

/**
 * A person is not named in its text, which webhooks and chats carry.
 * @param spent in the current period, in USD
 */
export function budgetNotice(budget: BudgetRow, spent: number): Appendable {
  const { project, team, person, lane, model, amount } = budget;
  const percent = wholePercent(spent, amount);
  const state = percent >= 100 ? "is spent" : `is at ${percent}%`;
  return {
    kind: "budget.reached",
    actor: ownActor,
    summary: `Budget '${noticeName(budget)}' ${state}: ${dollars(spent)} of ${dollars(amount)}`,
    project,
    team,
    person,
    lane,
    model,
  };
}

const noticeName = (budget: BudgetRow): string =>
  budgetName({ ...budget, person: budget.person && "one person" });

const summaryShape = /^Budget '(?<name>.+)' is (?:spent|at (?<percent>\d+)%): (?<spent>.+)$/;

/** What the summary of such an event says: its budget, whole percent, and "$160.20 of $200"; null for others. */
export function readBudgetNotice(summary: string): { name: string; percent: number; spent: string } | null {
  const { name, percent = "100", spent } = summaryShape.exec(summary)?.groups ?? {};
  return name !== undefined && spent !== undefined ? { name, percent: Number(percent), spent } : null;
}
