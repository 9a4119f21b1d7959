/** The kinds of events that chat messages tell of. All others are in the feed. */

import { type Micros, minuteMicros, secondMicros } from "../../../../core/lib/time.ts";
import { lostBefore, statusOf } from "../../../../feed/runs/runs.ts";
import type { Event, EventKind } from "../../../../feed/schema.ts";
import type { IntegrationsContext } from "../../../context.ts";
import { isRejection, publishNotice, reviewNotice, summaryNotice, uploadNotice } from "./asset-notices.ts";
import { cleanQuote } from "./clean.ts";
import type { Notice, Urgency } from "./notice.ts";
import { givenNotice, overdueNotice, requestNotice, requestUrgency } from "./review-notices.ts";
import { lostNotice, runNotice, runOf } from "./run-notices.ts";
import { budgetNotice, budgetUrgency, pausedNotice } from "./service-notices.ts";

interface ChatKind {
  urgency(ctx: IntegrationsContext, event: Event): Urgency | Promise<Urgency>;
  /** How long it waits for what belongs to it; absent: it does not wait. */
  waitMicros?(ctx: IntegrationsContext, event: Event): Promise<Micros>;
  /** Null when it is no longer worth a message. */
  notice(ctx: IntegrationsContext, event: Event): Promise<Notice | null>;
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

export const chatKinds: Partial<Record<EventKind, ChatKind>> = {
  "run.failed": { urgency: () => "urgent", notice: runNotice },
  "run.lost": { urgency: () => "urgent", notice: lostNotice },
  "run.finished": { urgency: () => "normal", notice: runNotice },
  "review.requested": { urgency: requestUrgency, notice: requestNotice },
  "review.overdue": { urgency: () => "urgent", notice: overdueNotice },
  "review.given": { urgency: () => "quiet", notice: givenNotice },
  "budget.reached": { urgency: budgetUrgency, notice: budgetNotice },
  "webhook.paused": { urgency: () => "urgent", notice: pausedNotice },
  "asset.uploaded": { urgency: () => "normal", waitMicros: uploadWait, notice: uploadNotice },
  "asset.reviewed": {
    urgency: (_ctx, event) => (isRejection(event) ? "normal" : "quiet"),
    notice: reviewNotice,
  },
  "asset.published": { urgency: () => "quiet", notice: publishNotice },
  "decision.captured": { urgency: () => "normal", notice: decisionNotice },
};

export const chatKindOf = ({ kind }: Pick<Event, "kind">): ChatKind | undefined =>
  chatKinds[kind as EventKind];
