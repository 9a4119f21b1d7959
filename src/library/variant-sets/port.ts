/** The part of the data port that reads variant sets: assets of one project that name the same set. */
import type { Micros } from "../../core/lib/time.ts";
import type { DecisionRow } from "../../memory/rows.ts";
import type { AssetRow } from "../rows.ts";

export interface SetStatus {
  set: string;
  status: AssetRow["status"];
  count: number;
  /** When the last of them was reviewed. */
  reviewed_at: Micros | null;
}

export interface VariantSetReads {
  /** How many variants of these sets have which status, by their newest versions. */
  setStatuses(project: string, sets: readonly string[]): Promise<SetStatus[]>;
  /** The newest version of each variant, oldest variant first, at most `limit`. */
  variants(project: string, set: string, limit: number): Promise<AssetRow[]>;
  /** The current decision of a set; null if there is none. */
  decisionOfSet(project: string, set: string): Promise<Pick<DecisionRow, "id" | "text"> | null>;
}
