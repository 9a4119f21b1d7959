/** The reads of tasks, a part of the data port. */
import type { Micros } from "../../core/lib/time.ts";
import type { AssetRow, DecisionHistoryRow } from "../../core/rows.ts";
import type { BriefRow } from "../../feed/runs/port.ts";

/** A brief that was given to a run, without its text. */
export type CarryingBrief = Pick<BriefRow, "hash" | "at" | "decisions"> & { run_id: string };

/** When an asset was reviewed last. */
export type ReviewTime = Pick<AssetRow, "id" | "set"> & { reviewed_at: Micros };

export interface TaskReads {
  /** The decisions that rejections of these assets became, current or not: those made at their last review. */
  rejectionDecisions(project: string, reviews: readonly ReviewTime[]): Promise<DecisionHistoryRow[]>;
  /** The pull requests of an issue, the lowest number first, at most `limit`. */
  pullRequestsOf(project: string, issue: number, limit: number): Promise<number[]>;
  /** The issue of a pull request; null if it belongs to none. */
  issueOfPullRequest(project: string, pr: number): Promise<number | null>;
  /** The briefs of these runs of a project, oldest first, at most `limit`. */
  briefsOfRuns(project: string, runs: readonly string[], limit: number): Promise<CarryingBrief[]>;
}
