/** The part of the data port that holds comments until they are posted to a forge. */
import type { RepositoryPlace } from "../../core/forges/schema.ts";
import type { Micros } from "../../core/lib/time.ts";

/** A comment to post, at least once; the marker makes a repetition harmless. */
export interface OutboxRow extends RepositoryPlace {
  id: number;
  /** Identifies the comment on the forge. */
  marker: string;
  number: number;
  /** The number is that of a pull request. */
  is_pull: boolean;
  body: string;
  attempts: number;
  due_at: Micros;
  created_at: Micros;
}

export interface OutboxReads {
  /** Of the deployment: queued comments, when the oldest was queued, unfinalized uploads. */
  backlog(now: Micros): Promise<{ outbox: number; oldest: Micros | null; uploads: number }>;
  /** Outbox rows that are due at `now`, oldest first. */
  dueOutbox(now: Micros, limit: number): Promise<OutboxRow[]>;
}

export interface OutboxWrites {
  addOutbox(row: Omit<OutboxRow, "id" | "attempts">): Promise<void>;
  /** Claims the oldest due row: counts an attempt and hides it until `until`. Null when none is due. */
  claimOutbox(now: Micros, until: Micros): Promise<OutboxRow | null>;
  delayOutbox(id: number, due_at: Micros): Promise<void>;
  removeOutbox(id: number): Promise<void>;
}
