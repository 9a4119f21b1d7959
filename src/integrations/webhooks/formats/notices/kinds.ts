/** The kinds of events that chat messages tell of. All others are in the feed. */
import { adminCaller } from "../../../../core/auth/caller.ts";
import { formatDate } from "../../../../core/lib/quantities.ts";
import { type Micros, minuteMicros, secondMicros } from "../../../../core/lib/time.ts";
import { listBudgets } from "../../../../feed/budgets/budgets.ts";
import { readBudgetNotice } from "../../../../feed/budgets/notice.ts";
import { dollars } from "../../../../feed/budgets/spending.ts";
import { lostBefore, statusOf } from "../../../../feed/runs/runs.ts";
import type { Event, EventKind } from "../../../../feed/schema.ts";
import { reviewSummary } from "../../../../library/verdicts/text.ts";
import type { IntegrationsContext } from "../../../context.ts";
import { isRejection, publishNotice, reviewNotice, summaryNotice, uploadNotice } from "./asset-notices.ts";
import { cleanQuote, cleanTitle, type Notice, type Urgency } from "./notice.ts";
import { givenNotice, overdueNotice, requestNotice, requestUrgency } from "./review-notices.ts";
import { lostNotice, runNotice, runOf, waitingNotice } from "./run-notices.ts";

interface ChatKind {
  urgency(ctx: IntegrationsContext, event: Event): Urgency | Promise<Urgency>;
  /** How long it waits for what belongs to it; absent: it does not wait. */
  waitMicros?(ctx: IntegrationsContext, event: Event): Promise<Micros>;
  /** Null when it is no longer worth a message. */
  notice(ctx: IntegrationsContext, event: Event): Promise<Notice | null>;
  /** An event to try a webhook with. It is about no asset and no run, so its message shows what it says. */
  sample: Partial<Event>;
}

/** A batch of uploads is one message. */
const batchMicros = 10 * secondMicros;
/** An asset of a run that is still working waits for the run's own message, but not for long. */
const runMicros = 5 * minuteMicros;

async function uploadWait(ctx: IntegrationsContext, event: Event): Promise<Micros> {
  const run = event.run_id ? await runOf(ctx, event) : null;
  const isRunning = run !== null && statusOf(run, lostBefore(ctx)) === "running";
  return isRunning ? runMicros : batchMicros;
}

const decisionNotice = async (ctx: IntegrationsContext, event: Event): Promise<Notice> =>
  summaryNotice(ctx, event, { title: "New decision", quote: cleanQuote(event.summary) });

const sampleAsset = "Map of the harbor, version 1";
/** @param sample what the event of a test says, and its other fields */
const chatKind = (
  urgency: Urgency | ChatKind["urgency"],
  notice: ChatKind["notice"],
  summary: string,
  sample: Partial<Event> = {},
): ChatKind => ({
  urgency: typeof urgency === "string" ? () => urgency : urgency,
  notice,
  sample: { ...sample, summary },
});

const byCodex: Partial<Event> = { actor: "agent:codex", issue: 12 };
const sampleRun: Partial<Event> = { ...byCodex, duration_ms: 61_000, cost_equiv: 0.42, run_id: "sample" };

/** A row for each kind of event: null for those that chats are not told of. The most telling come first. */
const rows: Record<EventKind, ChatKind | null> = {
  "run.failed": chatKind("urgent", runNotice, "This is a test of your webhook: nothing failed", sampleRun),
  "run.finished": chatKind("normal", runNotice, "This is a test of your webhook: Drew two maps", sampleRun),
  "run.lost": chatKind("urgent", lostNotice, "Test: No event for 30 min. Last: Drew two maps", byCodex),
  "run.waiting": chatKind("urgent", waitingNotice, "Test: Codex session asks for an answer", byCodex),
  "review.requested": chatKind(
    requestUrgency,
    requestNotice,
    `Test: Asked everyone to review ${sampleAsset}`,
  ),
  "review.overdue": chatKind("urgent", overdueNotice, `Test: The review of ${sampleAsset}, is overdue`),
  "review.given": chatKind("quiet", givenNotice, `Test: Approved ${sampleAsset}: waiting for 1 more: design`),
  "asset.uploaded": {
    ...chatKind("normal", uploadNotice, `Test: Uploaded ${sampleAsset}`),
    waitMicros: uploadWait,
  },
  "asset.reviewed": chatKind(
    (_ctx, event) => (isRejection(event) ? "normal" : "quiet"),
    reviewNotice,
    `Test: ${reviewSummary("approved", sampleAsset)}`,
  ),
  "asset.published": chatKind("quiet", publishNotice, `Test: Published ${sampleAsset}`),
  "decision.captured": chatKind("normal", decisionNotice, "Test: Maps use meters"),
  "budget.reached": chatKind(
    budgetUrgency,
    budgetNotice,
    "Test: Budget 'everything, month' is at 80%: $160 of $200",
  ),
  "webhook.paused": chatKind("urgent", pausedNotice, "Test: Paused webhook deploys: it answered 410"),
  "issue.opened": null,
  "issue.labeled": null,
  "issue.closed": null,
  "run.started": null,
  "step.usage": null,
  "pr.opened": null,
  "pr.review": null,
  "pr.merged": null,
  "pr.closed": null,
  "workflow.run": null,
  "preview.ready": null,
  "preview.failed": null,
  "decision.confirmed": null,
  "decision.retired": null,
  "check.stopped": null,
  "preference.set": null,
  "project.linked": null,
  "memory.consolidated": null,
  "onboard.refreshed": null,
  "asset.commented": null,
  "asset.addressed": null,
  "asset.unpublished": null,
  "asset.deleted": null,
  "data.removed": null,
  "share.created": null,
  "share.renewed": null,
  "share.revoked": null,
};

export const chatKinds: Readonly<Record<string, ChatKind>> = Object.fromEntries(
  Object.entries(rows).flatMap(([kind, row]) => (row ? [[kind, row]] : [])),
);

export const chatKindOf = ({ kind }: Pick<Event, "kind">): ChatKind | undefined => chatKinds[kind];

/** A budget that is spent is urgent; one at 50 or 80 % is not. */
function budgetUrgency(_ctx: IntegrationsContext, event: Event): Urgency {
  return (readBudgetNotice(event.summary)?.percent ?? 100) >= 100 ? "urgent" : "normal";
}

async function forecastFacts(ctx: IntegrationsContext, name: string): Promise<string[]> {
  const { budgets } = await listBudgets(ctx, {}, adminCaller);
  const budget = budgets.find((one) => one.name === name);
  if (budget?.forecast == null) return [];
  return [`forecast ${dollars(budget.forecast)} by ${formatDate(budget.end)}`];
}

async function budgetNotice(ctx: IntegrationsContext, event: Event): Promise<Notice> {
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
async function pausedNotice({ config }: IntegrationsContext, event: Event): Promise<Notice> {
  return {
    tone: "bad",
    title: "A webhook was paused",
    facts: [],
    quote: cleanQuote(event.summary),
    link: event.url?.startsWith(`${config.siteUrl}/`) ? { label: "Open the webhook", url: event.url } : null,
    image: null,
  };
}
