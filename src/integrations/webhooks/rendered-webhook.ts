/** Webhooks as the API returns them: without secrets, and with a shortened URL. */
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import type { DeliveryRow, WebhookRow } from "../rows.ts";
import type { Webhook, WebhookDelivery } from "./schema.ts";
import { shownUrl } from "./shown-url.ts";

const when = (at: Micros | null) => (at === null ? null : fromMicros(at));

export function toWebhook(row: WebhookRow, last: DeliveryRow | undefined): Webhook {
  const { id, name, format, filters, owner, status, paused_reason } = row;
  return {
    id,
    name,
    url: shownUrl(row.url),
    format,
    filters,
    owner,
    status,
    paused_at: when(row.paused_at),
    paused_reason,
    created_at: fromMicros(row.created_at),
    last_delivery: last ? { at: fromMicros(last.at), outcome: last.outcome, status: last.status } : null,
  };
}

export const toDelivery = (row: DeliveryRow): WebhookDelivery => ({ ...row, at: fromMicros(row.at) });
