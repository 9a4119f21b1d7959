/** Rows of webhooks for tests. */
import { ulid } from "ulid";
import type { Data } from "../../../src/api/port.ts";
import type { DeliveryProgress, NewDeliveryRow, NewWebhookRow } from "../../../src/integrations/rows.ts";

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

/** Adds a webhook that sends nothing, with a delivery that failed and a test. @returns its id */
export async function addPausedWebhook(data: Data): Promise<string> {
  const id = await addWebhook(data, { name: "deploys", filters: { kind: ["run.failed"], cost_above: 5 } });
  const error = "The receiver answered 503.";
  const failed = { outcome: "failed", status: 503, error, response: "down", attempt: 2 } as const;
  await data.atomically(async (writes) => {
    await writes.changeWebhook(id, {
      status: "paused",
      paused_at: 1,
      paused_reason: "Paused by mara.",
    });
    await writes.addDelivery(newDelivery(id, { first_event: null, last_event: null, is_test: true }));
    await writes.addDelivery(newDelivery(id, failed));
  });
  return id;
}

export const noProgress: DeliveryProgress = {
  ...{ deliveries: [], webhooks: [], replays: [], finished: [], lanes: [], removed: [] },
};
