/** Schemas of webhooks: subscriptions that send events to a URL, and the log of their deliveries. */
import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../../core/lib/cursor.ts";
import {
  Actor,
  Choice,
  Cost,
  Count,
  DateTime,
  Id,
  Lane,
  Limit,
  Line,
  Nullable,
  OpenChoice,
  RecordedLane,
  RunId,
  Slug,
} from "../../core/wire.ts";
import { kinds } from "../../feed/kinds.ts";
import { EventKind } from "../../feed/schema.ts";
import { assetId } from "../../library/assets/schema.ts";
import { chatNames } from "./formats/services/chat-services.ts";

export const formatNames = ["json" as const, ...chatNames];
export const FormatName = Choice(formatNames, {
  description: "What is sent: signed JSON (Standard Webhooks), or the messages of a chat service.",
  examples: ["json"],
});
export type FormatName = Static<typeof FormatName>;

const webhookStatuses = ["active", "paused"] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** What an event says of a run or of a review. */
export const filterStatuses = ["finished", "failed", "lost", "approved", "rejected"] as const;
export const deliveryOutcomes = ["delivered", "failed", "refused"] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

const list = <T extends Parameters<typeof Type.Array>[0]>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: 64, uniqueItems: true, description }));

const filtersDescription = "Which events are sent: those that match every filter given; none, and all are.";

export const WebhookFilters = Type.Object(
  {
    kind: list(EventKind, "Any of these kinds."),
    project: list(Slug, "Any of these projects."),
    actor: list(Actor, "By any of these actors."),
    lane: list(Lane, "In any of these lanes."),
    status: list(
      Choice(filterStatuses),
      "Runs that ended so, and reviews that decided so. Other events do not match.",
    ),
    run_id: Type.Optional(RunId("Events of this run.", "run-7")),
    cost_above: Type.Optional(Cost("Events that cost more than this, in USD.", 5, { maximum: 1e12 })),
  },
  {
    $id: "WebhookFilters",
    description: filtersDescription,
    additionalProperties: false,
    examples: [{ kind: ["run.failed"] }],
  },
);
export type WebhookFilters = Static<typeof WebhookFilters>;

/** Kinds and lanes of a stored webhook may since have been removed. */
const StoredFilters = Type.Object(
  {
    ...WebhookFilters.properties,
    kind: Type.Optional(Type.Array(OpenChoice(kinds, { description: "Kind of event." }))),
    lane: Type.Optional(Type.Array(RecordedLane)),
  },
  { $id: "RecordedFilters", description: filtersDescription, examples: WebhookFilters.examples },
);

const WebhookId = assetId({
  description: "Webhook id.",
  examples: ["01JZ8Q4W7N5V2M3X6K9T0R1B2C"],
});

const webhookUrl = {
  description:
    "Where requests go: an https URL of a public host. http, and hosts of a private network, only if " +
    "`SVC_WEBHOOK_ALLOW` names them.",
  examples: ["https://example.com/hooks/svc"],
};
const name = { description: "What you call it.", examples: ["deploy bot"] };

export const NewWebhook = Type.Object({
  url: Line(2048, webhookUrl),
  name: Type.Optional(Line(128, name)),
  format: Type.Optional({ ...FormatName, default: "json" as const }),
  filters: Type.Optional(WebhookFilters),
});
export type NewWebhook = Static<typeof NewWebhook>;

const LastDelivery = Type.Object({
  at: DateTime(),
  outcome: OpenChoice(deliveryOutcomes),
  status: Nullable(Type.Integer({ description: "HTTP status; null without an answer.", examples: [200] })),
});

export const Webhook = Type.Object(
  {
    id: WebhookId,
    name: Nullable(Type.String(name)),
    url: Type.String({
      description: "Shortened after the host: the URL of a chat channel is a secret.",
      examples: ["https://example.com/…"],
    }),
    format: OpenChoice(formatNames, { description: FormatName.description, examples: FormatName.examples }),
    filters: StoredFilters,
    owner: Nullable(
      Type.String({
        description: "Name of the token that made it: it gets the events which that token may read.",
        examples: ["ci"],
      }),
    ),
    status: OpenChoice(webhookStatuses, { description: "A paused webhook sends nothing." }),
    paused_at: Nullable(DateTime()),
    paused_reason: Nullable(Type.String({ description: "Why it is paused, and what to do." })),
    created_at: DateTime(),
    last_delivery: Nullable(LastDelivery),
  },
  { $id: "Webhook", description: "A subscription that sends events to a URL." },
);
export type Webhook = Static<typeof Webhook>;

const secret = Type.String({
  description: "Signing secret of the format json, shown this once: `whsec_` and base64.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
});

export const CreatedWebhook = Type.Object(
  { ...Webhook.properties, secret },
  { $id: "CreatedWebhook", description: "A new webhook, with its secret." },
);
export type CreatedWebhook = Static<typeof CreatedWebhook>;

export const RotatedSecret = Type.Object(
  {
    id: WebhookId,
    secret,
    previous_until: DateTime({ description: "Until then, requests are signed with the old secret too." }),
  },
  { $id: "RotatedSecret", description: "A new secret of a webhook." },
);
export type RotatedSecret = Static<typeof RotatedSecret>;

export const WebhookList = Type.Object(
  { webhooks: Type.Array(Webhook), count: Count("Number of webhooks.", 1) },
  { $id: "WebhookList", description: "Your webhooks, newest first." },
);
export type WebhookList = Static<typeof WebhookList>;

export const WebhookPath = Type.Object({ id: WebhookId });
export type WebhookPath = Static<typeof WebhookPath>;

export const RemovedWebhook = Type.Object(
  { id: WebhookId, removed: Type.Boolean() },
  { $id: "RemovedWebhook", description: "Nothing is sent any more." },
);
export type RemovedWebhook = Static<typeof RemovedWebhook>;

export const ReplayInput = Type.Object({
  id: WebhookId,
  event: Type.Optional(Id({ description: "Send this event again." })),
  delivery: Type.Optional(Id({ description: "Send the events of this delivery again." })),
  from: Type.Optional(Id({ description: "Send the events from this id on again, up to `to`." })),
  to: Type.Optional(Id({ description: "Last event id for `from`; without it, the newest." })),
  since: Type.Optional(
    DateTime({ description: "Send everything since then again.", examples: ["2026-01-02T03:04:05Z"] }),
  ),
});
export type ReplayInput = Static<typeof ReplayInput>;

export const Replay = Type.Object(
  {
    id: WebhookId,
    project: Nullable({ ...Slug, description: "Only events of this project; null for those of all." }),
    from: Id({ description: "First event of the range." }),
    to: Id({ description: "Last event of the range." }),
  },
  { $id: "Replay", description: "A range of events that is sent again, as far as the filters match." },
);
export type Replay = Static<typeof Replay>;

export const DeliveriesQuery = Type.Object({
  id: WebhookId,
  outcome: Type.Optional(Choice(deliveryOutcomes)),
  limit: Limit(50),
  cursor: Type.Optional(Cursor("[1-9]\\d{0,15}")),
});
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;

export const WebhookDelivery = Type.Object(
  {
    id: Id({ description: "Delivery id." }),
    webhook: WebhookId,
    project: Nullable(Slug),
    first_event: Nullable(Id({ description: "First event that it told of; null for a test." })),
    last_event: Nullable(Id({ description: "Last event that it told of; null for a test." })),
    at: DateTime({ description: "When the request began." }),
    duration_ms: Count("Milliseconds until its answer or its failure.", 84),
    status: LastDelivery.properties.status,
    outcome: OpenChoice(deliveryOutcomes, {
      description: "`refused`: not sent, as the destination is not allowed.",
    }),
    error: Nullable(Type.String({ description: "What failed, in one sentence." })),
    request: Type.String({ description: "Body of the request, cut to 4 KiB." }),
    response: Nullable(Type.String({ description: "Body of the answer, cut to 2 KiB." })),
    attempt: Count("1 for the first attempt to send this message.", 1),
    is_test: Type.Boolean({ description: "Sent on demand, with a sample." }),
    is_replay: Type.Boolean({ description: "Sent again on demand." }),
  },
  { $id: "WebhookDelivery", description: "One attempt to send one message." },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** How long deliveries are kept. */
export const deliveryDays = 30;

export const DeliveryPage = Type.Object(
  {
    deliveries: Type.Array(WebhookDelivery),
    count: Count("Number of deliveries on this page.", 1),
    next_cursor: Nullable(
      Type.String({ description: "Pass as `cursor` for the next, older page; null on the last page." }),
    ),
  },
  { $id: "DeliveryPage", description: `Deliveries of the last ${deliveryDays} days, newest first.` },
);
export type DeliveryPage = Static<typeof DeliveryPage>;
