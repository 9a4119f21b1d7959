/** The part of the data port that holds webhooks: subscriptions, lanes that are behind, and deliveries. */

import type { Micros } from "../../core/lib/time.ts";
import type { RenderedEvent } from "../../feed/rows.ts";
import type { EventRow } from "../../feed/schema.ts";
import {
  type DeliveryOutcome,
  type FormatName,
  WebhookDelivery,
  type WebhookFilters,
  type WebhookStatus,
} from "./schema.ts";

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
  Pick<WebhookRow, "name" | "url" | "format" | "filters" | "status" | "paused_at" | "paused_reason"> &
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
export type LogEvent = RenderedEvent & Pick<EventRow, "kind" | "project">;

/** One attempt to send one message. */
export type DeliveryRow = Omit<WebhookDelivery, "at" | "outcome"> & { at: Micros; outcome: DeliveryOutcome };
export type NewDeliveryRow = Omit<DeliveryRow, "id">;
export const deliveryFields = (Object.keys(WebhookDelivery.properties) as (keyof DeliveryRow)[]).filter(
  (field): field is keyof NewDeliveryRow => field !== "id",
);

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

export interface WebhookReads {
  /** Newest first; those of one owner, if it is given. */
  webhooks(of?: { owner: string | null }): Promise<WebhookRow[]>;
  webhook(id: string): Promise<WebhookRow | null>;
  /** Deliveries of a webhook with an id below `before`, newest first. */
  deliveries(
    webhook: string,
    page: { outcome?: DeliveryRow["outcome"]; before?: number; limit: number },
  ): Promise<DeliveryRow[]>;
  delivery(id: number): Promise<DeliveryRow | null>;
  /** The newest delivery of each of these webhooks that has one. */
  lastDeliveries(webhooks: readonly string[]): Promise<Map<string, DeliveryRow>>;
  /** Replays of all webhooks that are not finished, oldest first. */
  replays(): Promise<ReplayRow[]>;
  /** Lanes of these webhooks and of their replays. */
  webhookLanes(webhooks: readonly string[]): Promise<LaneRow[]>;
  /** Changes with each addition, change or removal of a webhook, and with each new replay. */
  webhooksVersion(): Promise<string | null>;
  /** Events with an id above `after`, by id: in the order of their commits. */
  eventsById(after: number, limit: number): Promise<LogEvent[]>;
  /** Id of the newest event; 0 when the feed is empty. */
  newestEventId(): Promise<number>;
  /** The lowest id among the first events from `ts` on; null when there is none. */
  firstEventSince(ts: Micros): Promise<number | null>;
  /** Paused webhooks, and lanes of active ones that have failed since before `failingBefore`. */
  webhookBacklog(failingBefore: Micros): Promise<{
    paused: Pick<WebhookRow, "id" | "name" | "paused_reason">[];
    behind: Pick<LaneRow, "webhook" | "project" | "failing_since">[];
  }>;
}

export interface WebhookWrites {
  /** Its first event is the next one. */
  addWebhook(webhook: NewWebhookRow): Promise<void>;
  /** Resuming (`status: "active"`) makes its lanes due. False when there is no such webhook. */
  changeWebhook(id: string, change: WebhookChange): Promise<boolean>;
  /** Its deliveries stay until they are 30 days old. False when there is no such webhook. */
  removeWebhook(id: string): Promise<boolean>;
  /** Sends a range of events again, as far as the filters match. */
  addReplay(range: ReplayRange): Promise<void>;
  /** @returns its id */
  addDelivery(delivery: NewDeliveryRow): Promise<number>;
  /**
   * Renews the lease of a process until `until`, and shares the active webhooks between the processes with a
   * lease: gives up `released`, takes over those of silent processes, and takes free ones up to its share.
   * @returns the ids of its webhooks, and how many it should give up
   */
  leaseWebhooks(lease: {
    node: string;
    now: Micros;
    until: Micros;
    released: string[];
  }): Promise<{ held: string[]; surplus: number }>;
  /** Ends the lease of a process: the others take over its webhooks. */
  endLease(node: string): Promise<void>;
  /** False, and nothing is written, when the lease of the process has ended. */
  recordProgress(lease: { node: string }, progress: DeliveryProgress): Promise<boolean>;
  /** Deletes a bounded number of the oldest deliveries: those before `before`. @returns how many */
  trimDeliveries(before: Micros): Promise<number>;
}
