/** The part of the data port that keeps email digests. */
import type { Micros } from "../../core/lib/time.ts";
import type { DigestPeriod, DigestStatus } from "./schema.ts";

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

export interface DigestReads {
  /** The newest first; those of one owner, if it is given. */
  emailDigests(of?: Pick<DigestRow, "owner">): Promise<DigestRow[]>;
  emailDigest(id: string): Promise<DigestRow | null>;
  /** Active digests whose next attempt is due, the longest wait first. */
  dueDigests(now: Micros, limit: number): Promise<DigestRow[]>;
}

export interface DigestWrites {
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
  /** Deletes digests that were not confirmed and are older than `before`. */
  removeUnconfirmedDigests(before: Micros): Promise<void>;
}
