/** The part of the data port that reads what waits for a review, by project. */
import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { AssetRow, RenderedAsset } from "../rows.ts";

/** Which pending assets a read leaves out. */
export interface PendingFilter {
  /** Ids of assets, such as those that the caller has approved. */
  without?: readonly string[];
  /** Those with a review request that asks neither one of these reviewers nor everyone. */
  askedOf?: readonly string[];
}

export interface PendingQuery extends PendingFilter {
  projects: number;
  /** Assets of a project, or variants of a set, are counted up to this. */
  count: number;
  /** Assets of a project, or variants of a set, that are listed. */
  listed: number;
}

export interface PendingAsset {
  id: string;
  created_at: Micros;
}

/** The pending assets of a project that belong to no set. */
export interface PendingAssetsRow {
  project: string;
  count: number;
  /** Without those that repeat a rejected file. */
  listed: PendingAsset[];
  /** Those that repeat a rejected file, as many as are listed of the others. */
  listedRepeats: PendingAsset[];
  /** How many do, counted up to the same number. */
  repeats: number;
  /** When the oldest one was uploaded. */
  since: Micros;
}

/** A set with pending variants. */
export interface PendingSetRow {
  project: string;
  set: string;
  count: number;
  /** The oldest pending variants. */
  listed: [PendingAsset, ...PendingAsset[]];
  /** When the newest one was uploaded. */
  newest: Micros;
}

/** What lists and messages say of an asset. */
export type AssetDetails = Pick<
  AssetRow,
  "id" | "project" | "set" | "title" | "version" | "kind" | "status" | "sha256" | "created_by" | "created_at"
>;

export interface ReviewQueueReads {
  /** Projects without such assets are left out. */
  pendingAssets(
    projects: Projects,
    query: PendingQuery & { order: "oldest first" | "newest first" },
  ): Promise<PendingAssetsRow[]>;
  /** At most `sets` of each project, by their names. */
  pendingSets(projects: Projects, query: PendingQuery & { sets: number }): Promise<PendingSetRow[]>;
  /** What lists and messages say of these assets, in any order. */
  assetDetails(ids: readonly string[]): Promise<AssetDetails[]>;
  /** The assets with these ids, in any order. */
  assetsById(ids: readonly string[]): Promise<RenderedAsset[]>;
}
