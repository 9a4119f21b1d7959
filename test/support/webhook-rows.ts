/** Rows of webhooks for tests. */
import { ulid } from "ulid";
import type { Data } from "../../src/data.ts";
import type { DeliveryProgress, NewDeliveryRow, NewWebhookRow } from "../../src/webhooks/port.ts";

/** A webhook that gets every event as JSON. */
export const newWebhook = (id: string, fields: Partial<NewWebhookRow> = {}): NewWebhookRow => ({
  id,
  name: null,
  url: `https://example.com/${id}`,
  format: "json",
  filters: {},
  owner: null,
  secret: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  created_at: 1,
  ...fields,
});

export const addWebhooks = (data: Data, webhooks: readonly NewWebhookRow[]): Promise<void> =>
  data.atomically(async (writes) => {
    for (const webhook of webhooks) await writes.addWebhook(webhook);
  });

/** Adds a webhook. @returns its id */
export async function addWebhook(data: Data, fields: Partial<NewWebhookRow> = {}): Promise<string> {
  const row = newWebhook(ulid(), fields);
  await addWebhooks(data, [row]);
  return row.id;
}

export const newDelivery = (webhook: string, fields: Partial<NewDeliveryRow> = {}): NewDeliveryRow => ({
  webhook,
  ...{ project: "atlas", first_event: 1, last_event: 1, at: 1, duration_ms: 12, status: 200 },
  ...{ outcome: "delivered", error: null, request: "{}", response: "ok", attempt: 1 },
  ...{ is_test: false, is_replay: false },
  ...fields,
});

export const noProgress: DeliveryProgress = {
  ...{ deliveries: [], webhooks: [], replays: [], finished: [], lanes: [], removed: [] },
};
