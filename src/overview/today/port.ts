/** The part of the data port that Today reads. */
import type { Micros } from "../../core/lib/time.ts";
import type { UsageRow } from "../../feed/rows.ts";
import type { RunRow } from "../../feed/runs/port.ts";

export type RunCost = Pick<RunRow, "lane" | "cost_equiv">;

export type DailyCostRow = Pick<UsageRow, "project" | "day" | "cost_equiv">;

export interface TodayReads {
  /** Up to where this person has read: the `ts` of an event. Null before the first time. */
  readMarker(reader: string): Promise<Micros | null>;
  /** Of the last 100 runs of a project, those that finished and cost something. */
  recentRunCosts(project: string): Promise<RunCost[]>;
  /** The cost of each of these projects on each of these UTC days. */
  dailyCosts(projects: readonly string[], days: readonly string[]): Promise<DailyCostRow[]>;
}

export interface TodayWrites {
  /** Marks everything up to `ts` as read. A marker never moves back. */
  moveReadMarker(reader: string, ts: Micros): Promise<void>;
}
