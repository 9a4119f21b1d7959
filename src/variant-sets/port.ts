/** The part of the data port that reads variant sets: assets of one project that name the same set. */
import type { Micros } from "../lib/time.ts";
import type { AssetRow, DecisionRow, Projects } from "../rows.ts";

/** A set with variants that wait for a review. */
export interface PendingSetRow {
  project: string;
  set: string;
  /** How many wait, up to the limit of the read. */
  count: number;
  /** The one that waits longest. */
  oldest: string;
  since: Micros;
  /** When the newest one was uploaded. */
  newest: Micros;
}

export interface VariantSetReads {
  /** The newest version of each variant, oldest variant first, at most `limit`. */
  variants(project: string, set: string, limit: number): Promise<AssetRow[]>;
  /** The current decision of a set; null if there is none. */
  decisionOfSet(project: string, set: string): Promise<Pick<DecisionRow, "id" | "text"> | null>;
  /** Sets with pending variants: at most `limits.sets` of each of at most `limits.projects` projects. */
  pendingSets(
    projects: Projects,
    limits: { projects: number; sets: number; count: number },
  ): Promise<PendingSetRow[]>;
}
