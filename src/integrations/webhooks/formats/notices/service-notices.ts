/** Notices of the service about itself: budgets and webhooks. */
import { adminCaller } from "../../../../core/auth/caller.ts";
import { formatDate } from "../../../../core/lib/quantities.ts";
import { listBudgets } from "../../../../feed/budgets/budgets.ts";
import { readBudgetNotice } from "../../../../feed/budgets/notice.ts";
import { dollars } from "../../../../feed/budgets/spending.ts";
import type { Event } from "../../../../feed/schema.ts";
import type { IntegrationsContext } from "../../../context.ts";
import { summaryNotice } from "./asset-notices.ts";
import { cleanQuote, cleanTitle, type Notice, type Urgency } from "./notice.ts";

/** A budget that is spent is urgent; one at 50 or 80 % is not. */
export const budgetUrgency = (_ctx: IntegrationsContext, event: Event): Urgency =>
  (readBudgetNotice(event.summary)?.percent ?? 100) >= 100 ? "urgent" : "normal";

async function forecastFacts(ctx: IntegrationsContext, name: string): Promise<string[]> {
  const { budgets } = await listBudgets(ctx, {}, adminCaller);
  const budget = budgets.find((one) => one.name === name);
  if (budget?.forecast == null) return [];
  return [`forecast ${dollars(budget.forecast)} by ${formatDate(budget.end)}`];
}

export async function budgetNotice(ctx: IntegrationsContext, event: Event): Promise<Notice> {
  const link = { label: "Open usage", url: `${ctx.config.siteUrl}/usage#budgets` };
  const reached = readBudgetNotice(event.summary);
  if (!reached) return summaryNotice(ctx, event, { tone: "warning", link });
  const { name, percent, spent } = reached;
  return {
    tone: percent >= 100 ? "bad" : "warning",
    title: cleanTitle(percent >= 100 ? `Budget spent: ${name}` : `Budget at ${percent}%: ${name}`),
    facts: [cleanTitle(spent), ...(await forecastFacts(ctx, name))],
    quote: null,
    link,
    image: null,
  };
}

/** Says why and what to do: its summary ends with that. */
export const pausedNotice = async ({ config }: IntegrationsContext, event: Event): Promise<Notice> => ({
  tone: "bad",
  title: "A webhook was paused",
  facts: [],
  quote: cleanQuote(event.summary),
  link: event.url?.startsWith(`${config.siteUrl}/`) ? { label: "Open the webhook", url: event.url } : null,
  image: null,
});
