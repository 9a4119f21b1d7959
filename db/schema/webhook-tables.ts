/** The tables of webhooks out: subscriptions, how far each got, and the log of deliveries. */
import type {
  DeliveryOutcome,
  FormatName,
  WebhookFilters,
  WebhookStatus,
} from "../../src/integrations/webhooks/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineWebhookTables = ({ table, serial, int, text, flag, json }: ColumnKit) => ({
  webhooks: table("webhooks", {
    id: text().primaryKey(),
    name: text(),
    url: text().notNull(),
    format: text().$type<FormatName>().notNull(),
    filters: json().$type<WebhookFilters>().notNull(),
    owner: text(),
    secret: text().notNull(),
    previous_secret: text(),
    previous_secret_until: int(),
    status: text().$type<WebhookStatus>().notNull(),
    paused_at: int(),
    paused_reason: text(),
    created_at: int().notNull(),
    /** Event id: what comes before it is delivered, was skipped, or belongs to a lane that is behind. */
    cursor: int().notNull(),
    /** A row of `webhook_nodes`; null while no process delivers for it. */
    lease_owner: text(),
  }),
  /** Ranges of the log that are sent again; each goes when its last event is delivered. */
  webhook_replays: table("webhook_replays", {
    id: text().primaryKey(),
    webhook: text().notNull(),
    /** Null for events of all projects. */
    project: text(),
    cursor: int().notNull(),
    until: int().notNull(),
  }),
  /** Projects that are behind (`due_at` is set), or were sent a digest. */
  webhook_lanes: table("webhook_lanes", {
    webhook: text().notNull(),
    /** "" for the lanes of the webhook itself. */
    replay: text().notNull(),
    /** "" for events without a project. */
    project: text().notNull(),
    cursor: int().notNull(),
    attempts: int().notNull(),
    due_at: int(),
    failing_since: int(),
    last_sent_at: int(),
  }),
  webhook_deliveries: table("webhook_deliveries", {
    id: serial(),
    webhook: text().notNull(),
    project: text(),
    first_event: int(),
    last_event: int(),
    at: int().notNull(),
    duration_ms: int().notNull(),
    status: int(),
    outcome: text().$type<DeliveryOutcome>().notNull(),
    error: text(),
    request: text().notNull(),
    response: text(),
    attempt: int().notNull(),
    is_test: flag().notNull(),
    is_replay: flag().notNull(),
  }),
  /** Processes that deliver. A process that is silent until `until` loses its webhooks to the others. */
  webhook_nodes: table("webhook_nodes", { id: text().primaryKey(), until: int().notNull() }),
});
