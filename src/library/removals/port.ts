/** The reads and writes of what was taken back. Part of the data port. */
import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { RemovalKind, RemovalRow } from "./rows.ts";

export interface RemovalReads {
  /** What was taken back of these subjects. */
  removals(subjects: readonly string[]): Promise<RemovalRow[]>;
  /** Newest first. */
  listedRemovals(
    projects: Projects,
    page: { kind?: RemovalKind; limit: number; after?: Pick<RemovalRow, "removed_at" | "kind" | "subject"> },
  ): Promise<RemovalRow[]>;
  /** Removals whose files or copies are not gone yet, oldest first. */
  unfinishedRemovals(limit: number): Promise<RemovalRow[]>;
}

export interface RemovalWrites {
  /** Adds a removal; does nothing if there is one of this kind and subject. */
  addRemoval(removal: Omit<RemovalRow, "finished_at">): Promise<void>;
  finishRemoval(removal: Pick<RemovalRow, "kind" | "subject">, at: Micros): Promise<void>;
  /** Forgets a removal that was undone. */
  dropRemoval(kind: RemovalKind, subject: string): Promise<void>;
}
