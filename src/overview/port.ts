/** The reads and writes of what is compiled across the rooms below. Part of the data port. */

import type { Micros } from "../core/lib/time.ts";
import type { TransactionOptions } from "../core/port.ts";
import type { Projects } from "../core/rows.ts";
import type { RunRow, UsageRange } from "../feed/rows.ts";
import type { LibraryData, LibraryReads, LibraryWrites } from "../library/port.ts";
import type { AssetRow } from "../library/rows.ts";
import type { DecisionRow } from "../memory/rows.ts";
import type {
  BriefRow,
  CarryingBrief,
  DailyUsageRow,
  DecisionUseRow,
  FoundTask,
  GivenDecision,
  InboxMark,
  NewBrief,
  NewRecall,
  PausedWebhook,
  RecallRow,
  RejectedVersion,
  RunCost,
  TaskKey,
  TaskKeysQuery,
  TaskRow,
} from "./rows.ts";
import type { TaskStage } from "./tasks/schema.ts";
import type { SavedView } from "./views/schema.ts";

export interface OverviewReads extends LibraryReads {
  /** Paused webhooks of this owner, or of all; the newest webhook first. */
  pausedWebhooks(of: { owner: string | null } | undefined): Promise<PausedWebhook[]>;
  /** The marks of this person on these items. */
  inboxMarks(reader: string, items: readonly string[]): Promise<InboxMark[]>;
  /** The filters of a list that this person gave a name, sorted by it, at most 100. */
  savedViews(reader: string, path: string): Promise<SavedView[]>;
  /** Assets of these authors whose newest version is rejected, the newest review first. */
  rejectedAssets(authors: readonly string[], projects: Projects, limit: number): Promise<AssetRow[]>;

  /** The decisions of rejections by these authors with a time above `after`, current or not, newest first. */
  ownRejections(
    authors: readonly string[],
    projects: Projects,
    page: { after: Micros; limit: number },
  ): Promise<DecisionRow[]>;
  /** The newest versions of the chains that these assets are of. */
  newestVersions(ids: readonly string[]): Promise<{ newest: AssetRow; of: string[] }[]>;
  /** The newest brief of each decision that a run was given; those without one are left out. */
  newestBriefs(decisions: readonly number[]): Promise<GivenDecision[]>;

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
  /** How many briefs of runs carried each decision, counted up to `max`. */
  decisionUses(decisions: readonly number[], max: number): Promise<{ decision: number; uses: number }[]>;
  runRecalls(run: Pick<RunRow, "project" | "id">, limit: number): Promise<RecallRow[]>;

  /** The issue of a pull request; null if it belongs to none. */
  issueOfPullRequest(project: string, pr: number): Promise<number | null>;
  /** A page of tasks, in the order of the query. */
  taskKeys(projects: Projects, query: TaskKeysQuery): Promise<FoundTask[]>;
  /** How many tasks each stage has, and the `limit` of it that are listed first. */
  taskBoard(
    projects: Projects,
    query: { project?: string | undefined; lost: Micros; limit: number },
  ): Promise<{ stage: TaskStage; count: number; tasks: FoundTask[] }[]>;
  /** The one with the newest run first. @param lost running runs without an event since are lost */
  taskRows(tasks: readonly TaskKey[], lost: Micros): Promise<TaskRow[]>;
  /** The text of the event that opened each of these tasks; none of one that is not in the feed. */
  taskOpenings(tasks: readonly TaskKey[]): Promise<(TaskKey & { opening: string })[]>;
  /** The briefs of these runs of a project, oldest first, at most `limit`. */
  briefsOfRuns(project: string, runs: readonly string[], limit: number): Promise<CarryingBrief[]>;

  /** Up to where this person has read: the `ts` of an event. Null before the first time. */
  readMarker(reader: string): Promise<Micros | null>;
  /** Of the last 100 runs of each of these projects, those that finished and cost something. */
  recentRunCosts(projects: readonly string[]): Promise<RunCost[]>;
  /** The runs and the cost of each of these projects on each UTC day of a range that has usage. */
  dailyUsage(projects: readonly string[], range: UsageRange): Promise<DailyUsageRow[]>;

  /** Versions that were rejected in a range and not approved later, the first rejection first. */
  rejectedVersions(projects: Projects, query: UsageRange & { project?: string }): Promise<RejectedVersion[]>;
  /** The `must` annotations that people confirmed in a range, by the number of versions that they took. */
  confirmedMusts(
    projects: Projects,
    query: UsageRange & { project?: string },
  ): Promise<{ attempts: number; count: number }[]>;
}

/** What a brief reads. */
export type BriefReads = Pick<
  OverviewReads,
  | "anchors"
  | "annotationReplies"
  | "assetsById"
  | "claims"
  | "confirmedDecisions"
  | "contradictions"
  | "countMatches"
  | "feed"
  | "findSimilarWords"
  | "goneDecisions"
  | "models"
  | "pendingAssets"
  | "pendingSets"
  | "preferences"
  | "project"
  | "proposedDecisions"
  | "rejections"
  | "repairedSince"
  | "retiredAnnotations"
  | "rollups"
  | "runFiles"
  | "runs"
  | "search"
  | "textLanguages"
  | "urgentAnnotations"
>;

export interface OverviewWrites extends OverviewReads, LibraryWrites {
  /** Sets a mark on each of these items, in place of an earlier one. */
  markInbox(reader: string, marks: readonly InboxMark[]): Promise<void>;
  /** Removes the marks from these items. */
  unmarkInbox(reader: string, items: readonly string[]): Promise<void>;
  /** Saves filters, in place of those with the same name. */
  saveView(reader: string, view: SavedView): Promise<void>;
  removeView(reader: string, view: Pick<SavedView, "path" | "name">): Promise<void>;

  /** Stores a brief; one with the same text was given before, so it changes nothing. */
  addBrief(brief: NewBrief): Promise<void>;
  addRecall(recall: NewRecall): Promise<void>;
  /**
   * Deletes the texts of briefs, and recalls, from before this time. @returns how many rows, a bounded number
   */
  trimRunMemory(before: Micros): Promise<number>;

  /** Marks everything up to `ts` as read. A marker never moves back. */
  moveReadMarker(reader: string, ts: Micros): Promise<void>;
}

export interface OverviewData extends OverviewReads, LibraryData {
  atomically<T>(work: (writes: OverviewWrites) => Promise<T>, options?: TransactionOptions): Promise<T>;
}
