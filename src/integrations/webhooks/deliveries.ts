/** The log of a webhook's deliveries, and sending events again. */
import { ulid } from "ulid";
import type { Caller } from "../../core/auth/caller.ts";
import { cursorOf, pageOf, readCursor } from "../../core/lib/cursor.ts";
import { ceilMicros } from "../../core/lib/time.ts";
import { badRequest, notFound } from "../../core/problem.ts";
import type { IntegrationsContext, IntegrationsRule } from "../context.ts";
import type { ReplayRange } from "../rows.ts";
import { sendTest } from "./delivery/send.ts";
import { toDelivery } from "./rendered-webhook.ts";
import {
  type DeliveriesQuery,
  type DeliveryPage,
  deliveryDays,
  type Replay,
  type ReplayInput,
  type WebhookDelivery,
  type WebhookPath,
} from "./schema.ts";
import { requireWebhook } from "./webhooks.ts";

/** A page of deliveries, newest first. @throws {Problem} 404 */
export const listDeliveries: IntegrationsRule<DeliveriesQuery, DeliveryPage> = async (
  ctx,
  { id, outcome, limit = 50, cursor },
  caller,
) => {
  await requireWebhook(ctx, id, caller);
  const rows = await ctx.data.deliveries(id, {
    limit: limit + 1,
    ...(outcome && { outcome }),
    ...(cursor !== undefined && { before: Number(readCursor(cursor).rest) }),
  });
  const { page, next_cursor } = pageOf(rows, limit, (last) => cursorOf(last.at, String(last.id)));
  return { deliveries: page.map(toDelivery), count: page.length, next_cursor };
};

/** Sends a sample now. A failure is a delivery that failed. @throws {Problem} 404 */
export const testWebhook = async (
  ctx: IntegrationsContext,
  { id }: WebhookPath,
  caller: Caller,
): Promise<WebhookDelivery> => sendTest(ctx, await requireWebhook(ctx, id, caller));

/**
 * Queues a range of events to be sent again, with the same `webhook-id`.
 * @throws {Problem} 400 if the input names no range or several, 404 for an unknown delivery
 */
export const replayEvents: IntegrationsRule<ReplayInput, Replay> = async (ctx, input, caller) => {
  const { id } = await requireWebhook(ctx, input.id, caller);
  const range = await rangeOf(ctx, input);
  const newest = await ctx.data.newestEventId();
  if (range.from > newest) throw badRequest(`There is no event ${range.from} yet: the newest is ${newest}.`);
  const { project, from, to } = { ...range, to: Math.min(range.to, newest) };
  if (to < from) throw badRequest("to must not be lower than from.");
  await ctx.data.atomically(async (writes) => {
    await writes.addReplay({ id: ulid(ctx.now() / 1_000), webhook: id, project, from, to });
    return { id, project };
  });
  return { id, project, from, to };
};

type Range = Pick<ReplayRange, "project" | "from" | "to">;

/** The newest event is not known yet. */
const upToNewest = Number.MAX_SAFE_INTEGER;

async function rangeOf(ctx: IntegrationsContext, input: ReplayInput): Promise<Range> {
  const { event, delivery, from, to, since } = input;
  if ([event, delivery, from, since].filter((value) => value !== undefined).length !== 1)
    throw badRequest("Name exactly one of event, delivery, from, and since.");
  if (to !== undefined && from === undefined) throw badRequest("to needs from, the first event.");
  if (delivery !== undefined) return rangeOfDelivery(ctx, input.id, delivery);
  if (since !== undefined) {
    const first = await ctx.data.firstEventSince(ceilMicros(since));
    if (first === null) throw badRequest(`There are no events since ${since}.`);
    return { project: null, from: first, to: upToNewest };
  }
  const first = (event ?? from) as number;
  return { project: null, from: first, to: event ?? to ?? upToNewest };
}

async function rangeOfDelivery({ data }: IntegrationsContext, webhook: string, id: number): Promise<Range> {
  const row = await data.delivery(id);
  if (!row || row.webhook !== webhook)
    throw notFound(
      `This webhook has no delivery with id '${id}'. Deliveries are deleted after ${deliveryDays} days.`,
    );
  if (row.first_event === null || row.last_event === null)
    throw badRequest("This delivery was a test. Send another one instead.");
  return { project: row.project, from: row.first_event, to: row.last_event };
}
