/** The reads and writes of files that come back after they were rejected. Part of the data port. */
import type { AssetRow, FileReview, RepeatPolicyRow } from "../rows.ts";
import type { FingerprintRow, RejectedFile, RepeatScope } from "./rows.ts";

export interface RepeatReads {
  /** The newest review of an asset of the project with this file; null if none was reviewed. */
  lastReview(project: string, sha256: string): Promise<FileReview | null>;
  /** The files that were rejected there, those rejected last at the front: at most `limit` of each place. */
  rejectedFiles(scope: RepeatScope, limit: number): Promise<RejectedFile[]>;
  /** Assets whose fingerprint is needed, and not read yet. */
  dueFingerprints(limit: number): Promise<AssetRow[]>;
  /** Null if the project accepts repeats. */
  repeatPolicy(project: string): Promise<RepeatPolicyRow | null>;
}

export interface RepeatWrites {
  /** Words of a text are read once it is rejected: most files never are. */
  addFingerprint(
    asset: Pick<AssetRow, "id" | "project" | "root_id" | "title" | "issue" | "pr">,
    picture: FingerprintRow["picture"],
  ): Promise<void>;
  saveFingerprint(asset: string, found: Partial<FingerprintRow>): Promise<void>;
  saveRepeatPolicy(policy: RepeatPolicyRow): Promise<void>;
  removeRepeatPolicy(project: string): Promise<void>;
}
