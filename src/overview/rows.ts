/** Rows of what is compiled across the rooms below, with times in microseconds. */

import type { Micros } from "../core/lib/time.ts";
import type { RunRow, RunUsage, UsageRow } from "../feed/rows.ts";
import type { UsageSums } from "../feed/usage/schema.ts";
import type { AssetRow } from "../library/rows.ts";
import type { RunDetail } from "./runs/schema.ts";
import type { TextIndex } from "./search/text-index.ts";
import type { ListedTask, TaskSort, TasksQuery } from "./tasks/schema.ts";

/** What a person did with an item. */
export interface InboxMark {
  /** The id of the item. */
  item: string;
  /** Hides the item if its cause is not newer. */
  at: Micros;
  /** When the snooze ends; null when it is done. */
  until: Micros | null;
}

/** A webhook that svc or a person paused. */
export interface PausedWebhook {
  id: string;
  name: string | null;
  paused_at: Micros;
  paused_reason: string | null;
}

/** A brief that was given to a run; `text` is null when it is older than 90 days. */
export type BriefRow = Omit<RunDetail["briefs"][number], "at"> & { at: Micros };

/** A brief that carried a decision. `run` is null until an event of the run comes. */
export type DecisionUseRow = Omit<BriefRow, "text" | "decisions"> & {
  id: number;
  run_id: string;
  run: RunRow | null;
};

/** When a decision was given to a run last, and whose it is: null until an event of the run comes. */
export interface GivenDecision {
  decision: number;
  at: Micros;
  actor: string | null;
}

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

/** The port to the documentation, which search reads without knowing how its pages are made. */

/** A section of a documentation page. */
export interface DocSection {
  /** `/docs/guide#errors`. */
  path: string;
  /** Title of the page. */
  page: string;
  /** Heading of the section; that of the page in its first section. */
  heading: string;
  /** Plain text. */
  readonly text: string;
}

export interface DocSections {
  list: readonly DocSection[];
  /** In the executable, whose build analyzes the documentation. */
  index?: TextIndex;
}

/** A brief that was given to a run, without its text. */
export type CarryingBrief = Pick<BriefRow, "hash" | "at" | "decisions"> & { run_id: string };

export type RunCost = Pick<RunRow, "project" | "lane" | "cost_equiv">;

export type DailyUsageRow = Pick<UsageRow, "project" | "day" | "runs" | "failures" | "merges" | "cost_equiv">;

/** A version that was rejected, with the runs that it took. */
export interface RejectedVersion
  extends Pick<AssetRow, "title" | "version" | "project" | "issue" | "task" | "pr"> {
  asset: string;
  rejected_at: Micros;
  runs: (Pick<RunUsage, "id" | "project"> & Omit<UsageSums, "runs" | "failures" | "merges">)[];
}

/** A task: one of both numbers. */
export interface TaskKey {
  project: string;
  /** Negative for the task of a tracker; see core/task-key.ts. */
  issue: number | null;
  /** Of a pull request that belongs to no issue. */
  pr: number | null;
}

/** Which tasks; of several filters by runs, each may be met by another run of the task. */
export interface TaskFilter extends Omit<TasksQuery, "project" | "sort" | "limit" | "cursor"> {
  project?: string | undefined;
  /** Running runs without an event since are lost. */
  lost: Micros;
}

export interface TaskKeysQuery extends TaskFilter {
  sort: TaskSort;
  limit: number;
  /** The last task of the page before, in the order `recent`; in others a page has an offset. */
  after?: FoundTask | undefined;
  offset?: number;
}

/** A task and its position in lists. */
export interface FoundTask extends TaskKey {
  listed_at: Micros;
}

/** A task with the sums of its runs, and of those of its pull requests. */
export interface TaskRow extends TaskKey, Pick<ListedTask, "state" | "actors" | "models" | "runs_waiting"> {
  /** The key of the task of a tracker. */
  task: string | null;
  /** `at`: when it was opened, closed or merged last. */
  pulls: (ListedTask["pulls"][number] & { at: Micros | null })[];
  /** Whose runs it has. */
  teams: string[];
  people: string[];
  /** Wire of the newest event of its opening. */
  opening: string | null;
  /** The time of that event. */
  opened: Micros | null;
  runs: number;
  /** Of them, those that are not over. */
  running: number;
  /** The newest event of a running run; the highest number if a run waits, and null without either. */
  live_at: Micros | null;
  versions: number;
  /** Of them, those that wait for a review. */
  waiting: number;
  /** When the newest of them was added. */
  made_at: Micros | null;
  /** The newest rejection of one that is not replaced. A variant beside an approved one does not count. */
  rejected_at: Micros | null;
  /** When the issue was opened or closed last. */
  issue_at: Micros | null;
  cost_equiv: number;
  /** Of its newest run; the time of its opening without one. */
  listed_at: Micros;
  last_event_at: Micros;
}
