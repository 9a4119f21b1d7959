/** The part of the data port that holds verdicts and review policies. */

import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { DecisionHistoryRow } from "../../memory/rows.ts";
import type { AssetKind } from "../assets/schema.ts";
import type { Answers } from "../checklists/schema.ts";
import type { AssetRow } from "../rows.ts";
import type { RoleCount, Verdict } from "./schema.ts";

/** The last verdict of one voter on one version. */
export interface VerdictRow extends Pick<Verdict, "reviewer" | "role" | "decision" | "note"> {
  asset: string;
  /** Who it counts for, whatever name the reviewer gave; see `voterOf`. */
  voter: string;
  /** The voter that vouches for a share link, else the voter itself: one approval counts for each. */
  principal: string;
  project: string;
  /** Hash of the file that was reviewed. */
  sha256: string;
  checklist: Answers | null;
  at: Micros;
}

export interface ReviewPolicyRow {
  project: string;
  kind: AssetKind;
  /** Never empty. */
  need: RoleCount[];
  changed_by: string;
  changed_at: Micros;
}

export interface VerdictReads {
  /** The verdicts on these versions, oldest first. */
  verdicts(assets: readonly string[]): Promise<VerdictRow[]>;
  /** The pending assets that a voter has approved, at most `limit`. */
  openApprovals(voter: string, limit: number): Promise<Pick<VerdictRow, "asset" | "project">[]>;
  /** The policies of these projects, or of all, sorted by project and kind. */
  reviewPolicies(projects: Projects, limit: number): Promise<ReviewPolicyRow[]>;
  reviewPolicy(project: string, kind: AssetKind): Promise<ReviewPolicyRow | null>;
  /** The decisions that rejections of these assets became, current or not: those made at their last review. */
  rejectionDecisions(project: string, reviews: readonly ReviewTime[]): Promise<DecisionHistoryRow[]>;
}

export interface VerdictWrites {
  /** Adds a verdict, in place of the voter's last one on this version. */
  saveVerdict(verdict: VerdictRow): Promise<void>;
  /** Whether an asset is pending: only then its verdicts are among the open approvals. */
  setVerdictsOpen(asset: string, isOpen: boolean): Promise<void>;
  /** Adds the policy of a project and kind, or replaces it. */
  saveReviewPolicy(policy: ReviewPolicyRow): Promise<void>;
  removeReviewPolicy(project: string, kind: AssetKind): Promise<void>;
}

/** When an asset was reviewed last. */
export type ReviewTime = Pick<AssetRow, "id" | "set"> & { reviewed_at: Micros };
