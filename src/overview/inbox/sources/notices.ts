/** What the service itself tells of: budgets that are nearly spent, and webhooks that it paused. */
import { isAllowed } from "../../../core/auth/authorization.ts";
import { visibleTo } from "../../../core/auth/ownership.ts";
import { dayOf, toMicros } from "../../../core/lib/time.ts";
import { noticeText } from "../../../feed/budgets/notice.ts";
import { visibleBudgets } from "../../../feed/budgets/owners.ts";
import { scopeFields } from "../../../feed/budgets/schema.ts";
import { startsOn, thresholdOf } from "../../../feed/budgets/spending.ts";
import type { BudgetRow } from "../../../feed/rows.ts";
import type { Event } from "../../../feed/schema.ts";
import { candidatesMax, type Source, windowMicros } from "../candidate.ts";

/** Budgets with a notice, until the period ends, the amount is raised, or the budget is removed. */
export const reachedBudgets: Source = async ({ config, data, now }, caller) => {
  const budgets = await visibleBudgets({ config }, data, caller);
  if (budgets.length === 0) return [];
  const today = dayOf(now());
  const [notices, spending] = await Promise.all([
    data.feed(caller.projects, { kind: "budget.reached", after: now() - windowMicros, limit: candidatesMax }),
    data.spendingOn(today),
  ]);
  const events = notices.map(({ wire }) => JSON.parse(wire) as Event);
  return budgets.flatMap((budget) => {
    const start = startsOn(today)[budget.period];
    const spent = spending.find((row) => row.budget === budget.id && row.start === start)?.spent ?? 0;
    const startsAt = toMicros(`${start}T00:00:00Z`);
    const event = events.find((one) => isOf(budget, one) && toMicros(one.ts) >= startsAt);
    if (!event || thresholdOf(spent, budget.amount) === 0) return [];
    return [
      {
        id: `budget-${budget.id}`,
        reason: "budget" as const,
        title: noticeText(budget, spent),
        detail: config.hidePersons ? null : budget.person,
        path: "/usage#budgets",
        project: event.project,
        at: toMicros(event.ts),
      },
    ];
  });
};

/** Whether a notice is of a budget: it has the same work, which two budgets of different periods share. */
function isOf(budget: BudgetRow, event: Event): boolean {
  const isSameWork = scopeFields.every((field) => budget[field] === (event[field] ?? null));
  return isSameWork && event.summary.includes(`${budget.period}' `);
}

/** How the reason begins when a person paused a webhook, who knows of it. */
const pausedByPerson = "Paused by ";

/** Webhooks that svc paused, for those who can resume them. */
export const pausedWebhooks: Source = async ({ data, config }, caller) => {
  if (!isAllowed(caller, "webhooks:write", config)) return [];
  const webhooks = await data.pausedWebhooks(visibleTo(caller));
  return webhooks
    .filter(({ paused_reason }) => !paused_reason?.startsWith(pausedByPerson))
    .map(({ id, name, paused_at, paused_reason }) => ({
      id: `webhook-${id}`,
      reason: "webhook_paused" as const,
      title: name ?? id,
      detail: paused_reason,
      path: `/settings/webhooks/${id}`,
      project: null,
      at: paused_at,
    }));
};
