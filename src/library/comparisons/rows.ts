/** The rows of comparisons, and the filter of those that are read. */
import type { PictureChange } from "../../files/probe/likeness/schema.ts";
import type { AssetRow } from "../rows.ts";

/** What an asset is compared with, and what changed. */
export interface ComparisonRow {
  /** The approved asset; null if there is none. */
  base: string | null;
  /** Null if it is not known. */
  change: PictureChange | null;
  /** The mean colors of its thumbnail, in base64; only without an approved asset. */
  signature: string | null;
}

/** A comparison that was made. */
export interface MadeComparison extends ComparisonRow {
  /** Whether images that can be compared were not, because a store or a child process failed. */
  hasFailed: boolean;
}

/** A pending asset. */
export interface ComparedAsset extends ComparisonRow, Pick<AssetRow, "id" | "title"> {
  /** It has not been compared yet. */
  isWaiting: boolean;
  /** How often its comparison failed in a row. */
  failures: number;
}

/** Which pending assets are meant. */
export type ComparisonFilter = Partial<
  Pick<AssetRow, "id" | "project" | "kind" | "issue" | "task" | "pr" | "set" | "run_id">
>;
