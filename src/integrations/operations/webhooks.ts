/** Operations on outgoing webhooks. */

import { Type } from "@sinclair/typebox";
import { operationOf } from "../../core/operation.ts";
import type { IntegrationsContext } from "../context.ts";
import { listDeliveries, replayEvents, testWebhook as testOnce } from "../webhooks/deliveries.ts";
import {
  CreatedWebhook,
  DeliveriesQuery,
  DeliveryPage,
  deliveryDays,
  NewWebhook,
  RemovedWebhook,
  Replay,
  ReplayInput,
  RotatedSecret,
  Webhook,
  WebhookDelivery,
  WebhookList,
  WebhookPath,
} from "../webhooks/schema.ts";
import {
  createWebhook as addWebhook,
  removeWebhook as deleteWebhook,
  listWebhooks as loadAll,
  loadWebhook,
  pauseWebhook as pause,
  resumeWebhook as resume,
  rotateSecret as rotate,
} from "../webhooks/webhooks.ts";

const operation = operationOf<IntegrationsContext>("webhooks");

const shared = { scope: "webhooks:write" } as const;

export const createWebhook = operation({
  ...shared,
  id: "createWebhook",
  summary: "Create a webhook",
  description:
    "Sends the events that come from now on to a URL: every event you may read, or those that match " +
    "all filters. The answer has the secret that requests are signed with, this once.",
  http: { method: "POST", path: "/webhooks", status: 201, body: "WebhookRequest" },
  input: NewWebhook,
  output: CreatedWebhook,
  run: addWebhook,
});

export const listWebhooks = operation({
  ...shared,
  id: "listWebhooks",
  summary: "List webhooks",
  description:
    "All webhooks, newest first; a token limited to projects sees its own. Without secrets and full URLs.",
  http: { method: "GET", path: "/webhooks" },
  input: Type.Object({}),
  output: WebhookList,
  run: (ctx, _, caller) => loadAll(ctx, caller),
});

export const getWebhook = operation({
  ...shared,
  id: "getWebhook",
  summary: "Get a webhook",
  description: "One webhook, with its status and its last delivery.",
  http: { method: "GET", path: "/webhooks/{id}", errors: [404] },
  input: WebhookPath,
  output: Webhook,
  run: loadWebhook,
});

export const removeWebhook = operation({
  ...shared,
  id: "removeWebhook",
  summary: "Remove a webhook",
  description: "Nothing is sent any more. To change a URL or filters, create another webhook first.",
  http: { method: "DELETE", path: "/webhooks/{id}", media: null, errors: [404] },
  input: WebhookPath,
  output: RemovedWebhook,
  run: deleteWebhook,
});

export const testWebhook = operation({
  ...shared,
  id: "testWebhook",
  summary: "Send a test",
  description:
    "Sends a sample now, whatever the filters are and also if the webhook is paused. A receiver that " +
    "fails is no error of this request: see `outcome`.",
  http: { method: "POST", path: "/webhooks/{id}/test", media: null, errors: [404] },
  input: WebhookPath,
  output: WebhookDelivery,
  run: testOnce,
});

export const pauseWebhook = operation({
  ...shared,
  id: "pauseWebhook",
  summary: "Pause a webhook",
  description: "Sends nothing until it is resumed. The events of that time are sent then.",
  http: { method: "POST", path: "/webhooks/{id}/pause", media: null, errors: [404] },
  input: WebhookPath,
  output: Webhook,
  run: pause,
});

export const resumeWebhook = operation({
  ...shared,
  id: "resumeWebhook",
  summary: "Resume a webhook",
  description: "Continues where a paused webhook stopped, whether you paused it or svc did after failures.",
  http: { method: "POST", path: "/webhooks/{id}/resume", media: null, errors: [404, 409] },
  input: WebhookPath,
  output: Webhook,
  run: resume,
});

export const rotateWebhookSecret = operation({
  ...shared,
  id: "rotateWebhookSecret",
  summary: "Rotate the secret of a webhook",
  description: "Returns a new secret, this once. For a day, requests are signed with the old one too.",
  http: { method: "POST", path: "/webhooks/{id}/rotate", media: null, errors: [404] },
  input: WebhookPath,
  output: RotatedSecret,
  run: rotate,
});

export const replayWebhook = operation({
  ...shared,
  id: "replayWebhook",
  summary: "Send events again",
  description:
    "Sends one event again, those of a delivery, a range of ids, or everything since a time, as far as " +
    "the filters match. Receivers see the same `webhook-id` as before.",
  http: { method: "POST", path: "/webhooks/{id}/replay", body: "ReplayRequest", errors: [404] },
  input: ReplayInput,
  output: Replay,
  run: replayEvents,
});

export const listWebhookDeliveries = operation({
  ...shared,
  id: "listWebhookDeliveries",
  summary: "List deliveries of a webhook",
  description:
    `Every attempt of the last ${deliveryDays} days, newest first: request, answer, and how long ` +
    "it took.",
  http: { method: "GET", path: "/webhooks/{id}/deliveries", errors: [404] },
  input: DeliveriesQuery,
  output: DeliveryPage,
  run: listDeliveries,
});
