/** Reads of usage, a part of the data port. */
import type { Projects } from "../../core/rows.ts";
import type { RunRow } from "../runs/port.ts";
import type { UsageGroup, UsageSums } from "./schema.ts";

/** Groups that are sums of days; a run is a group by itself. */
export type SummedGroup = Exclude<UsageGroup, "run">;

export interface UsageRange {
  /** The first and the last UTC day, such as `2026-01-02`. */
  from: string;
  to: string;
}

/** The usage of one group. Columns that it is not grouped by are null; "" or 0 is an event without one. */
export interface GroupUsage extends UsageSums {
  /** Null in the sum of the whole range. */
  day: string | null;
  project: string | null;
  model: string | null;
  lane: string | null;
  actor: string | null;
  issue: number | null;
  pr: number | null;
}

/** The usage of one run. */
export type RunUsage = Omit<UsageSums, "runs" | "failures" | "merges"> &
  Pick<RunRow, "id" | "project" | "actor" | "issue" | "pr" | "lane" | "status" | "summary">;

export interface UsageReads {
  /**
   * Usage of each group in a range, or with `perDay` of each group and day. Reads the daily sums of the
   * range, never events.
   */
  groupUsage(
    projects: Projects,
    query: UsageRange & { by: SummedGroup; project?: string; perDay: boolean },
  ): Promise<GroupUsage[]>;
  /** The most expensive runs that started in a range, and how many started there. */
  expensiveRuns(
    projects: Projects,
    query: UsageRange & { project?: string; limit: number },
  ): Promise<{ runs: RunUsage[]; count: number }>;
}
