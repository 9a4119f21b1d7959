/** The reads of tasks, a part of the data port. */
import type { BriefRow } from "../runs/port.ts";

/** A brief that was given to a run, without its text. */
export type CarryingBrief = Pick<BriefRow, "hash" | "at" | "decisions"> & { run_id: string };

export interface TaskReads {
  /** The pull requests of an issue, the lowest number first, at most `limit`. */
  pullRequestsOf(project: string, issue: number, limit: number): Promise<number[]>;
  /** The issue of a pull request; null if it belongs to none. */
  issueOfPullRequest(project: string, pr: number): Promise<number | null>;
  /** The briefs of these runs of a project, oldest first, at most `limit`. */
  briefsOfRuns(project: string, runs: readonly string[], limit: number): Promise<CarryingBrief[]>;
}
