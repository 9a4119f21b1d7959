/** The rows of senders and receivers, with times in microseconds. */

import type { Micros } from "../core/lib/time.ts";
import type { RenderedEvent } from "../feed/rows.ts";
import type { EventRow } from "../feed/schema.ts";
import type { DigestPeriod, DigestStatus } from "./email/schema.ts";

import type {
  DeliveryOutcome,
  FormatName,
  WebhookDelivery,
  WebhookFilters,
  WebhookStatus,
} from "./webhooks/schema.ts";

export interface DigestRow {
  id: string;
  address: string;
  period: DigestPeriod;
  /** UTC. */
  hour: number;
  project: string | null;
  /** Name of the token that added it; null for an admin without one. */
  owner: string | null;
  status: DigestStatus;
  problem: string | null;
  created_at: Micros;
  confirmed_at: Micros | null;
  /** The end of the last period that was sent, or had nothing to send. */
  covered_until: Micros;
  /** The end of the next period. */
  due_at: Micros;
  /** When to try next: `due_at`, or later after a failed attempt. */
  next_at: Micros;
  attempts: number;
  /** The last one said that nothing happened, which is not said twice. */
  said_quiet: boolean;
}

export type UnplacedReason = (typeof unplacedReasons)[number];

/** How much telemetry of a source fits no project for one reason. There is one row for each pair. */
export interface UnplacedRow {
  /** The key of a source, see sources/. */
  source: string;
  reason: UnplacedReason;
  /** Records that would have become events. */
  count: number;
  /** The name of the token that sent the last. */
  token: string;
  last_at: Micros;
}

/** A subscription. */
export interface WebhookRow {
  id: string;
  name: string | null;
  url: string;
  format: FormatName;
  filters: WebhookFilters;
  /** Name of the token that made it; null for the admin of the deployment. */
  owner: string | null;
  secret: string;
  /** The secret before the last rotation; signs too until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: Micros | null;
  status: WebhookStatus;
  paused_at: Micros | null;
  paused_reason: string | null;
  created_at: Micros;
  /** Event id: events up to it are delivered, were skipped, or belong to a lane that is behind. */
  cursor: number;
  /** The process that delivers for it; null for none. */
  lease_owner: string | null;
}

export type NewWebhookRow = Pick<
  WebhookRow,
  "id" | "name" | "url" | "format" | "filters" | "owner" | "secret" | "created_at"
>;

export type WebhookChange = Partial<
  Pick<
    WebhookRow,
    "name" | "url" | "format" | "filters" | "owner" | "status" | "paused_at" | "paused_reason"
  > &
    Pick<WebhookRow, "secret" | "previous_secret" | "previous_secret_until">
>;

/** A range of event ids to send again, both ends included. */
export interface ReplayRange {
  id: string;
  webhook: string;
  /** Only events of this project; null for those of all. */
  project: string | null;
  from: number;
  to: number;
}

export interface ReplayRow {
  id: string;
  webhook: string;
  project: string | null;
  /** Event id, like that of a webhook. */
  cursor: number;
  until: number;
}

/** A project of a webhook, or of a replay, that is behind or was sent a digest. */
export interface LaneRow {
  webhook: string;
  /** "" for the lanes of the webhook itself. */
  replay: string;
  /** "" for events without a project. */
  project: string;
  /** Event id: the matching events of the project up to it are delivered or were skipped. */
  cursor: number;
  /** Failed attempts to send the message that is next. */
  attempts: number;
  /** When the next message is due; null when the lane is not behind. */
  due_at: Micros | null;
  failing_since: Micros | null;
  last_sent_at: Micros | null;
}

/** An event of the log, with what most filters ask for. */
export type LogEvent = RenderedEvent &
  Pick<EventRow, "kind" | "project"> & {
    /** It was backfilled. */
    past: unknown;
  };

/** One attempt to send one message. */
export type DeliveryRow = Omit<WebhookDelivery, "at" | "outcome"> & { at: Micros; outcome: DeliveryOutcome };

export type NewDeliveryRow = Omit<DeliveryRow, "id">;

/** What deliveries have changed, written in one transaction. */
export interface DeliveryProgress {
  deliveries: NewDeliveryRow[];
  /** New cursors of webhooks. */
  webhooks: Pick<WebhookRow, "id" | "cursor">[];
  replays: Pick<ReplayRow, "id" | "cursor">[];
  /** Replays of which every event is delivered. */
  finished: string[];
  lanes: LaneRow[];
  /** Lanes that have caught up. */
  removed: Pick<LaneRow, "webhook" | "replay" | "project">[];
}

/** Telemetry that fits no project, a part of the data port. */

/** Why telemetry fits no project. */
const unplacedReasons = ["no project", "unknown project", "unknown repository"] as const;
