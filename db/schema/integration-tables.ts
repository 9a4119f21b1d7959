/** The tables of what is sent and received: webhooks, digests by email, comments on forges, telemetry. */
import { type ForgeName, forges } from "../../src/core/forges/schema.ts";
import type { DigestPeriod, DigestStatus } from "../../src/integrations/email/schema.ts";
import type { UnplacedReason } from "../../src/integrations/rows.ts";
import type {
  DeliveryOutcome,
  FormatName,
  WebhookFilters,
  WebhookStatus,
} from "../../src/integrations/webhooks/schema.ts";
import type { ColumnKit } from "./columns.ts";

/** Where a repository is. */
export const repositoryPlace = ({ text }: ColumnKit) => ({
  forge: text().$type<ForgeName>().notNull().default("github"),
  host: text().notNull().default(forges.github.host),
  repo: text().notNull(),
});

export function defineIntegrationTables(kit: ColumnKit) {
  const { table, serial, int, text, flag, json } = kit;
  return {
    webhooks: table("webhooks", () => ({
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
    })),
    /** Ranges of the log that are sent again; each goes when its last event is delivered. */
    webhook_replays: table("webhook_replays", () => ({
      id: text().primaryKey(),
      webhook: text().notNull(),
      /** Null for events of all projects. */
      project: text(),
      cursor: int().notNull(),
      until: int().notNull(),
    })),
    /** Projects that are behind (`due_at` is set), or were sent a digest. */
    webhook_lanes: table("webhook_lanes", () => ({
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
    })),
    webhook_deliveries: table("webhook_deliveries", () => ({
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
    })),
    /** Processes that deliver. A process that is silent until `until` loses its webhooks to the others. */
    webhook_nodes: table("webhook_nodes", () => ({ id: text().primaryKey(), until: int().notNull() })),
    /** Telemetry that fits no project: how much of which source and why, never its content. */
    unplaced: table("unplaced", () => ({
      source: text().notNull(),
      reason: text().$type<UnplacedReason>().notNull(),
      count: int().notNull(),
      /** The token that sent it last. */
      token: text().notNull(),
      last_at: int().notNull(),
    })),
    email_digests: table("email_digests", () => ({
      id: text().primaryKey(),
      address: text().notNull(),
      period: text().$type<DigestPeriod>().notNull(),
      /** The hour of the day, in UTC. */
      hour: int().notNull(),
      project: text(),
      /** Name of the token that added it; null for the command line on the server. */
      owner: text(),
      /** `removed`: before it was confirmed; only its mail still counts. */
      status: text().$type<DigestStatus | "removed">().notNull(),
      problem: text(),
      created_at: int().notNull(),
      confirmed_at: int(),
      /** The end of the last period that was sent, or had nothing to send. */
      covered_until: int().notNull(),
      /** The end of the next period. */
      due_at: int().notNull(),
      /** When to try next: `due_at`, or later after a failed attempt. */
      next_at: int().notNull(),
      attempts: int().notNull(),
      /** The last one said that nothing happened, which is not said twice. */
      said_quiet: flag().notNull(),
    })),
    /** Comments that wait to be posted on a forge. */
    outbox: table("outbox", () => ({
      id: serial(),
      marker: text().notNull(),
      ...repositoryPlace(kit),
      number: int().notNull(),
      is_pull: flag().notNull().default(false),
      body: text().notNull(),
      attempts: int().notNull().default(0),
      due_at: int().notNull(),
      created_at: int().notNull(),
    })),
  };
}
