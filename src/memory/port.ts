/** The reads of decisions, preferences, and what consolidation has summarized. Part of the data port. */
import type { Micros } from "../core/lib/time.ts";
import type {
  DecisionHistoryRow,
  DecisionRow,
  PreferenceRow,
  Projects,
  RejectionRow,
  UsageRow,
} from "../core/rows.ts";
import type { DecisionPosition, DecisionStatus } from "./schema.ts";

/** The totals of one project and UTC day. */
export type DigestRow = Omit<UsageRow, "project" | "lane" | "model">;

export interface MemoryReads {
  /** Decisions that are neither superseded nor retired, newest first. */
  currentDecisions(project: string, limit: number): Promise<DecisionRow[]>;
  /** With the status at `asOf`, or now; newest first. Keyset page after `after`. */
  decisions(
    projects: Projects,
    page: { status: DecisionStatus; asOf?: Micros; limit: number; after?: DecisionPosition },
  ): Promise<DecisionHistoryRow[]>;
  /** Null when the decision does not exist or the caller may not read it. */
  decision(projects: Projects, id: number): Promise<DecisionHistoryRow | null>;
  /** The decision that replaced this one. */
  decisionReplacing(id: number): Promise<DecisionHistoryRow | null>;
  /** Decisions that a current one replaced directly; `by` is the id of the current one. */
  supersededDecisions(project: string): Promise<(DecisionRow & { by: number })[]>;
  /** The current decision of the project with exactly this text. Notes of reviews are not considered. */
  decisionByText(project: string, text: string): Promise<DecisionRow | null>;
  /** Current rejection notes of assets, newest first; with `issue`, only for assets of that issue. */
  rejections(project: string, issue: number | undefined, limit: number): Promise<RejectionRow[]>;
  /** Current preferences of the project and global ones, sorted by key; the project's own value first. */
  preferences(project: string | null): Promise<PreferenceRow[]>;
  /** Usage that has been summarized into memory, newest day first. */
  rollups(project: string, limit: number): Promise<UsageRow[]>;
  /** Summarized usage, added up per UTC day: the newest days before `before`, or all. */
  digests(project: string, page: { before?: string; limit: number }): Promise<DigestRow[]>;
}
