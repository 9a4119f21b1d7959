/** Webhooks as the API returns them: without secrets, and with a shortened URL. */
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import type { DeliveryRow, WebhookRow } from "../rows.ts";
import type { Webhook, WebhookDelivery } from "./schema.ts";

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

/** Shorter paths would show too much of themselves. */
const pathLengthMin = 24;

/**
 * The URL of a webhook as lists, logs and pages show it: the origin and, of a long path, its last four
 * characters, enough to tell two webhooks apart. Anyone who knows the URL of a chat channel can post to it,
 * and the URLs of other receivers often have a secret in their path or query as well.
 */
function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const path = pathname + search;
  if (path === "/") return `${origin}/`;
  return `${origin}/…${path.length < pathLengthMin ? "" : path.slice(-4)}`;
}
