/** The part of the data port that finds earlier reviews of a file, and holds which projects refuse repeats. */
import type { Micros } from "../../core/lib/time.ts";
import type { AssetRow } from "../rows.ts";

/** The newest review of a file. */
export interface FileReview extends Pick<AssetRow, "id" | "root_id" | "review_note"> {
  isRejection: boolean;
}

/** A project that refuses files that it has rejected. */
export interface RepeatPolicyRow {
  project: string;
  changed_by: string;
  changed_at: Micros;
}

export interface RepeatReads {
  /** The newest review of an asset of the project with this file; null if none was reviewed. */
  lastReview(project: string, sha256: string): Promise<FileReview | null>;
  /** Null if the project accepts repeats. */
  repeatPolicy(project: string): Promise<RepeatPolicyRow | null>;
}

export interface RepeatWrites {
  saveRepeatPolicy(policy: RepeatPolicyRow): Promise<void>;
  removeRepeatPolicy(project: string): Promise<void>;
}
