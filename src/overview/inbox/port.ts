/** The part of the data port that the inbox reads and writes. */
import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { AssetRow } from "../../library/rows.ts";

/** What a person did with an item. */
export interface InboxMark {
  /** The id of the item. */
  item: string;
  /** Hides the item if its cause is not newer. */
  at: Micros;
  /** When the snooze ends; null when it is done. */
  until: Micros | null;
}

/** A webhook that svc or a person paused. */
export interface PausedWebhook {
  id: string;
  name: string | null;
  paused_at: Micros;
  paused_reason: string | null;
}

export interface InboxReads {
  /** Paused webhooks of this owner, or of all; the newest webhook first. */
  pausedWebhooks(of: { owner: string | null } | undefined): Promise<PausedWebhook[]>;
  /** The marks of this person on these items. */
  inboxMarks(reader: string, items: readonly string[]): Promise<InboxMark[]>;
  /** Assets of these authors whose newest version is rejected, the newest review first. */
  rejectedAssets(authors: readonly string[], projects: Projects, limit: number): Promise<AssetRow[]>;
}

export interface InboxWrites {
  /** Sets a mark on each of these items, in place of an earlier one. */
  markInbox(reader: string, marks: readonly InboxMark[]): Promise<void>;
  /** Removes the marks from these items. */
  unmarkInbox(reader: string, items: readonly string[]): Promise<void>;
}
