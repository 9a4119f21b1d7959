/** The rows of events and projects that cross the data port: the API's own shapes, with times in microseconds. */

import type { RepositoryPlace } from "../core/forges/schema.ts";
import type { Micros } from "../core/lib/time.ts";
import type { scopeFields, Threshold } from "./budgets/schema.ts";
import type { Project } from "./projects/schema.ts";
import type { Run, RunsQuery, StoredRunStatus } from "./runs/schema.ts";
import type { ImportedEvent } from "./schema.ts";
import type { Interval, UsageGroup, UsageSums } from "./usage/schema.ts";

/** An event rendered for the feed: its position, and its JSON text as the API returns it. */
export interface RenderedEvent {
  id: number;
  ts: Micros;
  wire: string;
}

/** An event to append. */
export type Appendable = Omit<ImportedEvent, "ts" | "parent_run_id" | "branch" | "files" | "email"> & {
  /** The sender's raw data, such as a webhook payload. Stored, never returned. */
  payload?: unknown;
  /** The scope in which `dedupe_key` is unique; absent: the whole feed. */
  key_scope?: string;
  /** The `dedupe_key` that an earlier version gave the same event. It is never stored. */
  earlier_key?: string;
  /** The unsigned id of a webhook delivery: a second deduplication key beside `dedupe_key`. */
  delivery_id?: string;
  /** A time in the past; only imports set it. */
  ts?: Micros;
};

export type ProjectRow = Omit<Project, "lastActivity"> & {
  lastActivity: Micros | null;
  check_cmd: string | null;
  branch_pattern: string | null;
  /** URL of a task of its tracker, with `{task}` for the key. */
  task_url: string | null;
};

/** The repository linked to a project. */
export interface LinkedRepository extends RepositoryPlace {
  slug: string;
  /** The forge's id of the repository; null until a webhook reports it. */
  repo_id: number | null;
  repo_names: RepositoryNames | null;
}

/** What deliveries told of the names of a linked repository. Those that are compared are in lower case. */
export interface RepositoryNames {
  former: string[];
  /** Renames from names that it is not known to have had: those to them may still arrive. */
  ahead: { from: string; to: string }[];
  /** Its name until another repository got it; the link's name is a guess then, until its own is told. */
  taken: string | null;
  /** The sender's time of the newest event that told a name. */
  at: Micros | null;
  /** Whether that event told the link's name. A rename, which tells no time, makes it false. */
  is_timed: boolean;
  /** Ids of the deliveries that told renames. */
  renames: string[];
}

/** Totals of one project, UTC day, lane, and model; "" for events without a lane or model. */
export interface UsageRow extends UsageSums {
  project: string;
  day: string;
  lane: string;
  model: string;
}

/** The work that a budget counts; null is any. Events without a project are never counted. */
export type BudgetScope = Record<(typeof scopeFields)[number], string | null>;

export interface BudgetRow extends BudgetScope {
  id: number;
  period: Interval;
  /** USD. */
  amount: number;
  /** The first day of the first period that is counted. */
  since: string;
  changed_by: string;
  changed_at: Micros;
}

/** What is spent of a budget in one period. */
export interface SpendingRow {
  budget: number;
  /** First day of the period. */
  start: string;
  /** USD. */
  spent: number;
  /** The highest threshold that a notice was written for. */
  notified: Threshold;
}

type RunTime = "started_at" | "ended_at" | "last_event_at" | "waiting_since";

/** A run as stored: `lost` is derived when it is read. */
export type RunRow = Omit<Run, "title" | "status" | RunTime | "brief"> & {
  status: StoredRunStatus;
  started_at: Micros;
  ended_at: Micros | null;
  waiting_since: Micros | null;
  last_event_at: Micros;
  /** Its position in lists: that of its newest event, to the minute; see position.ts. Unique. */
  listed_at: Micros;
  /** Actor and task of a run without a `run_id`; see rule.ts. */
  rule_key: string | null;
  branch: string | null;
  /** Of its task, also of one that its pull request belongs to; see core/task-key.ts. */
  task: string | null;
  /** The event that opened its task, as JSON. */
  opened_task: string | null;
  /** The issue of its pull request, if its own events name none. */
  issue_of_pr: number | null;
  brief: (Omit<NonNullable<Run["brief"]>, "at"> & { at: Micros }) | null;
};

/** What lists need of each of many runs: its task, what it is called by, its times, and its cost. */
export type RunOutline = Pick<
  RunRow,
  | "actor"
  | "assets"
  | "branch"
  | "cost_equiv"
  | "decisions"
  | "id"
  | "issue"
  | "issue_of_pr"
  | "lane"
  | "last_event_at"
  | "listed_at"
  | "opened_task"
  | "pr"
  | "project"
  | "started_at"
  | "summary"
  | "task"
>;

export interface RunFilter extends Omit<RunsQuery, "status" | "sort" | "limit" | "cursor"> {
  status?: StoredRunStatus;
  /** Leaves out the pipelines of CI systems. */
  withoutPipelines?: true;
}

export interface RunQuery extends RunFilter {
  /** Runs with `listed_at` strictly before this. */
  before?: Micros;
  /** Runs with `last_event_at` strictly between these. */
  eventAfter?: Micros;
  eventBefore?: Micros;
  limit: number;
}

/** The project and the task of a run, and what is reported of it. */
export type RunPlace = Pick<RunRow, "id" | "project" | "issue" | "task" | "pr" | "ended_at"> & {
  /** Its start or an end. */
  isReported: boolean;
  /** Hooks of an agent report it. */
  isHooked: boolean;
};

/** A run that has started and not ended. */
export type OpenRun = Pick<RunRow, "id" | "actor" | "parent" | "rule_key" | "last_event_at"> & {
  /** Hooks of an agent report it. */
  isHooked: boolean;
};

/** A claim, with the newest event and the end of its run; null without one. */
export interface ClaimRow {
  project: string;
  subject: string;
  holder: string;
  run_id: string | null;
  /** The name of the token that it was made with. */
  token: string;
  note: string | null;
  /** From the newest event of its run, or from `renewed_at`. */
  lease: Micros;
  claimed_at: Micros;
  renewed_at: Micros;
  run_event_at: Micros | null;
  run_ended_at: Micros | null;
}

/** Groups that are sums of days; a run is a group by itself. */
export type SummedGroup = Exclude<UsageGroup, "run">;

export interface UsageRange {
  /** The first and the last UTC day, such as `2026-01-02`. */
  from: string;
  to: string;
}

export interface ProjectRange extends UsageRange {
  project?: string;
}

/** What usage is summed of, of all projects and everyone by default. */
export interface UsageFilter extends ProjectRange {
  team?: string;
  person?: string;
}

/** Groups whose sums a process remembers of all work: that of a team or a person is only some of it. */
export type RememberedGroup = "project" | "model" | "lane" | "actor";

/** Usage of one day by group; "" is work without one. Reports share them: they do not change. */
export interface GroupDay {
  day: string;
  sums: ReadonlyMap<string, Readonly<UsageSums>>;
  total: Readonly<UsageSums>;
}

/** Usage by group on each day of a range, and in all of it. */
export interface GroupDays {
  days: readonly GroupDay[];
  totals: ReadonlyMap<string, Readonly<UsageSums>>;
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
  /** Of an issue with a key, see core/task-key.ts. */
  task: string | null;
  pr: number | null;
  person: string | null;
  team: string | null;
}

/** The usage of one task; 0 is an event without an issue or a pull request. */
export type TaskUsage = UsageSums & { project: string; issue: number; task: string | null; pr: number };

export interface TaskCount {
  /** What names no task counts as one of each project. */
  count: number;
  /** The usage that names no task. */
  unattributed: UsageSums;
}

/** The usage of one run. */
export type RunUsage = Omit<UsageSums, "runs" | "failures" | "merges"> &
  Pick<RunRow, "id" | "project" | "actor" | "issue" | "task" | "pr" | "lane" | "status" | "summary">;
