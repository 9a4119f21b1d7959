/** What runs were told and made, as rows, and its part of the data port. */

import type { Micros } from "../../core/lib/time.ts";
import type { RunRow } from "../../feed/runs/port.ts";
import type { AssetRow } from "../../library/rows.ts";
import type { DecisionRow } from "../../memory/rows.ts";
import type { RunDetail } from "./schema.ts";

/** A brief that was given to a run; `text` is null when it is older than 90 days. */
export type BriefRow = Omit<RunDetail["briefs"][number], "at"> & { at: Micros };

/** A brief that carried a decision. `run` is null until an event of the run comes. */
export type DecisionUseRow = Omit<BriefRow, "text" | "decisions"> & {
  id: number;
  run_id: string;
  run: RunRow | null;
};

/** A search of memory by a run. */
export type RecallRow = Omit<RunDetail["recalls"][number], "at"> & { at: Micros };

/** A brief that was given to a run. */
export interface NewBrief {
  project: string;
  run_id: string;
  at: Micros;
  /** SHA-256 of the text, in hex. */
  hash: string;
  chars: number;
  text: string;
  /** Ids of the decisions that it carried. */
  decisions: readonly number[];
}

export type NewRecall = RecallRow & { project: string; run_id: string };

export interface RunMemoryReads {
  /** Assets that a run made, oldest first. */
  runAssets(run: RunRow, limit: number): Promise<AssetRow[]>;
  /** Decisions that a run made, oldest first. */
  runDecisions(run: RunRow, limit: number): Promise<DecisionRow[]>;
  /** Briefs that a run was given, oldest first. */
  runBriefs(run: Pick<RunRow, "project" | "id">, limit: number): Promise<BriefRow[]>;
  /** The brief with this hash that was fetched for a run, or for a cache. */
  briefByHash(run: Pick<RunRow, "project" | "id">, hash: string): Promise<BriefRow | null>;
  /** Briefs that carried a decision, newest first, with ids below `before`. */
  briefsWithDecision(decision: number, page: { before?: number; limit: number }): Promise<DecisionUseRow[]>;
  runRecalls(run: Pick<RunRow, "project" | "id">, limit: number): Promise<RecallRow[]>;
}

export interface RunMemoryWrites {
  /** Stores a brief; one with the same text was given before, so it changes nothing. */
  addBrief(brief: NewBrief): Promise<void>;
  addRecall(recall: NewRecall): Promise<void>;
  /**
   * Deletes the texts of briefs, and recalls, from before this time. @returns how many rows, a bounded number
   */
  trimBriefs(before: Micros): Promise<number>;
}
