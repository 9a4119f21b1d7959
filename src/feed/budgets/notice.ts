/** The event that a budget has reached a threshold. */
import { ownActor } from "../../core/auth/caller.ts";
import type { Appendable, BudgetRow } from "../rows.ts";
import { budgetName, dollars, wholePercent } from "./spending.ts";

/** @param spent in the current period, in USD */
export function budgetNotice(budget: BudgetRow, spent: number): Appendable {
  const { project, team, person, lane, model } = budget;
  return {
    kind: "budget.reached",
    actor: ownActor,
    summary: noticeText(budget, spent),
    project,
    team,
    person,
    lane,
    model,
  };
}

/** A person is not named in it, which webhooks and chats carry. */
export function noticeText(budget: BudgetRow, spent: number): string {
  const percent = wholePercent(spent, budget.amount);
  const state = percent >= 100 ? "is spent" : `is at ${percent}%`;
  return `Budget '${noticeName(budget)}' ${state}: ${dollars(spent)} of ${dollars(budget.amount)}`;
}

const noticeName = (budget: BudgetRow): string =>
  budgetName({ ...budget, person: budget.person && "one person" });

const summaryShape = /^Budget '(?<name>.+)' is (?:spent|at (?<percent>\d+)%): (?<spent>.+)$/;

/** What such an event says: its budget, whole percent, and "$160.20 of $200"; null for other summaries. */
export function readBudgetNotice(summary: string): { name: string; percent: number; spent: string } | null {
  const { name, percent = "100", spent } = summaryShape.exec(summary)?.groups ?? {};
  return name !== undefined && spent !== undefined ? { name, percent: Number(percent), spent } : null;
}
