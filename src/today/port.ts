/** The part of the data port that Today reads. */
import type { Micros } from "../lib/time.ts";
import type { Projects, RenderedAsset, UsageRow } from "../rows.ts";
import type { RunRow } from "../runs/port.ts";

/** The pending assets of a project. */
export interface ReviewQueueRow {
  project: string;
  /** How many are pending, up to the limit of the read. */
  count: number;
  /** When the oldest one was uploaded. */
  since: Micros;
  /** The ids of the oldest ones, oldest first. */
  oldest: string[];
}

export type RunCost = Pick<RunRow, "lane" | "cost_equiv">;

export type DailyCostRow = Pick<UsageRow, "project" | "day" | "cost_equiv">;

export interface TodayReads {
  /** Up to where this person has read: the `ts` of an event. Null before the first time. */
  readMarker(reader: string): Promise<Micros | null>;
  /**
   * The review queues of at most `limits.projects` projects, those without pending assets left out. Pending
   * assets are counted up to `limits.count`.
   */
  pendingReviews(
    projects: Projects,
    limits: { projects: number; count: number; oldest: number },
  ): Promise<ReviewQueueRow[]>;
  /** The assets with these ids, in any order. */
  assetsById(ids: readonly string[]): Promise<RenderedAsset[]>;
  /** Of the last 100 runs of a project, those that finished and cost something. */
  recentRunCosts(project: string): Promise<RunCost[]>;
  /** The cost of each of these projects on each of these UTC days. */
  dailyCosts(projects: readonly string[], days: readonly string[]): Promise<DailyCostRow[]>;
}

export interface TodayWrites {
  /** Marks everything up to `ts` as read. A marker never moves back. */
  moveReadMarker(reader: string, ts: Micros): Promise<void>;
}
