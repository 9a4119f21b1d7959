/** The reads and writes of senders and receivers. Part of the data port. */

import type { Micros } from "../core/lib/time.ts";
import type { TransactionOptions } from "../core/port.ts";
import type { Appendable } from "../feed/rows.ts";
import type { EventRow } from "../feed/schema.ts";
import type { OverviewData, OverviewReads, OverviewWrites } from "../overview/port.ts";
import type {
  DeliveryProgress,
  DeliveryRow,
  DigestRow,
  LaneRow,
  LogEvent,
  NewDeliveryRow,
  NewWebhookRow,
  ReplayRange,
  ReplayRow,
  UnplacedRow,
  WebhookChange,
  WebhookRow,
} from "./rows.ts";

export interface IntegrationsReads extends OverviewReads {
  /** The newest first; those of one owner, if it is given. */
  emailDigests(of?: Pick<DigestRow, "owner">): Promise<DigestRow[]>;
  emailDigest(id: string): Promise<DigestRow | null>;
  /** Active digests whose next attempt is due, the longest wait first. */
  dueDigests(now: Micros, limit: number): Promise<DigestRow[]>;

  /** For each key of telemetry, the event that has it; null where there is none. */
  recordedEvents(
    keyed: readonly Pick<Appendable, "dedupe_key" | "key_scope" | "project">[],
  ): Promise<(EventRow | null)[]>;
  /** Newest first. */
  unplaced(): Promise<UnplacedRow[]>;

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

export interface IntegrationsWrites extends IntegrationsReads, OverviewWrites {
  /** The owners of the digests that were added for an address since then, removed ones included. */
  digestOwnersOf(address: string, since: Micros): Promise<Pick<DigestRow, "owner">[]>;
  addDigest(row: DigestRow): Promise<void>;
  changeDigest(id: string, change: Partial<Omit<DigestRow, "id">>): Promise<void>;
  /**
   * Removes a digest. One that waits for its confirmation still counts in `digestOwnersOf`, until
   * `removeUnconfirmedDigests` deletes it: its mail was sent. False when there is none.
   */
  removeDigest(id: string): Promise<boolean>;
  /** Deletes a digest whose address got no mail. */
  deleteDigest(id: string): Promise<void>;
  /**
   * Claims an attempt: counts it, and hides the row until `until`. False when another process was faster.
   */
  claimDigest(row: Pick<DigestRow, "id" | "next_at" | "attempts">, until: Micros): Promise<boolean>;
  /** Deletes digests that were not confirmed and are older than `before`. @returns how many */
  removeUnconfirmedDigests(before: Micros): Promise<number>;

  /** Adds to the counts. */
  countUnplaced(rows: readonly UnplacedRow[]): Promise<void>;

  /** Its first event is the next one. */
  addWebhook(webhook: NewWebhookRow): Promise<void>;
  /** Resuming (`status: "active"`) makes its lanes due. False when there is no such webhook. */
  changeWebhook(id: string, change: WebhookChange): Promise<boolean>;
  /** Its deliveries stay for their retention. False when there is no such webhook. */
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

export interface IntegrationsData extends IntegrationsReads, OverviewData {
  atomically<T>(work: (writes: IntegrationsWrites) => Promise<T>, options?: TransactionOptions): Promise<T>;
}
