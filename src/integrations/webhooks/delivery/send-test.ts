/** Sends a sample to a webhook, and logs the delivery. */

import { fromMicros } from "../../../core/lib/time.ts";
import type { Event } from "../../../feed/schema.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { WebhookRow } from "../../rows.ts";
import { sampleEvents } from "../formats/samples.ts";
import type { WebhookDelivery } from "../schema.ts";
import { attempt, httpSender, type Sender } from "./attempt.ts";

/** Of a kind that the webhook is for, if there is a sample of one. */
function sampleEvent(ctx: IntegrationsContext, { filters }: WebhookRow): Event {
  const samples = sampleEvents(ctx, filters.project?.[0] ?? "sample");
  const matching = samples.find(({ kind }) => (filters.kind as string[] | undefined)?.includes(kind));
  return matching ?? (samples[0] as Event);
}

/** Sends a sample now, whatever the webhook's filters and status are. A failure is a delivery that failed. */
export async function sendTest(
  ctx: IntegrationsContext,
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
