/** Sends a sample to a webhook, and logs the delivery. */
import type { Context } from "../../context.ts";
import type { Event } from "../../feed/schema.ts";
import { fromMicros } from "../../lib/time.ts";
import type { WebhookRow } from "../port.ts";
import type { WebhookDelivery } from "../schema.ts";
import { attempt, httpSender, type Sender } from "./attempt.ts";

/** A kind that every format has a message for. */
function sampleEvent(ctx: Context, { filters }: WebhookRow): Event {
  return {
    ...{ id: 1, ts: fromMicros(ctx.now()), kind: "run.failed", actor: "bot:svc" },
    summary: "This is a test of your webhook: nothing failed",
    ...{ project: filters.project?.[0] ?? "sample", repo: null, issue: null, pr: null, lane: null },
    ...{ model: null, subscription: null, tokens_in: 0, tokens_out: 0, cache_read: 0, cache_write: 0 },
    ...{ cost_equiv: 0, duration_ms: null, url: null, run_id: "sample" },
  };
}

/** Sends a sample now, whatever the webhook's filters and status are. A failure is a delivery that failed. */
export async function sendTest(
  ctx: Context,
  webhook: WebhookRow,
  sender: Sender = httpSender,
): Promise<WebhookDelivery> {
  const events = [sampleEvent(ctx, webhook)];
  const plan = await sender.formats[webhook.format]?.plan(ctx, events, { lastSentAt: null });
  if (plan?.action !== "send") throw new Error(`the format ${webhook.format} has no message for a test`);
  const { project } = events[0] as Event;
  const outgoing = { message: plan.message, events, project, attempt: 1, isTest: true, isReplay: false };
  const { row } = await attempt(ctx, sender, webhook, outgoing, new AbortController().signal);
  const id = await ctx.data.atomically((writes) => writes.addDelivery(row));
  return { ...row, id, at: fromMicros(row.at) };
}
