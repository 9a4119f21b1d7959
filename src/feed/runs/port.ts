/** Runs as rows, and the reads of the data port for them. */
import type { Micros } from "../../core/lib/time.ts";
import type { AssetRow, DecisionRow, Projects, RenderedEvent } from "../../core/rows.ts";
import type { Run, RunDetail, StoredRunStatus } from "./schema.ts";

/** A run as stored: `lost` is derived when it is read. */
export type RunRow = Omit<Run, "title" | "status" | "started_at" | "ended_at" | "last_event_at" | "brief"> & {
  status: StoredRunStatus;
  started_at: Micros;
  ended_at: Micros | null;
  last_event_at: Micros;
  /** Its position in lists: that of its newest event, to the minute; see position.ts. Unique. */
  listed_at: Micros;
  /** Actor and task of a run without a `run_id`; see rule.ts. */
  rule_key: string | null;
  branch: string | null;
  /** The event that opened its task, as JSON. */
  opened_task: string | null;
  /** The issue of its pull request, if its own events name none. */
  issue_of_pr: number | null;
  brief: Pick<BriefRow, "hash" | "at" | "chars"> | null;
};

export interface RunFilter {
  project?: string;
  status?: StoredRunStatus;
  actor?: string;
  issue?: number;
  pr?: number;
  lane?: string;
  model?: string;
  parent?: string;
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

/** The project and the task of a run. */
export type RunPlace = Pick<RunRow, "id" | "project" | "issue" | "pr">;

/** A run that has started and not ended. */
export type OpenRun = Pick<RunRow, "id" | "actor" | "parent" | "rule_key" | "last_event_at"> & {
  /** Hooks of an agent report it. */
  isHooked: boolean;
};

export interface RunReads {
  /**
   * Runs by `listed_at`, newest first. A page may hold fewer than `limit` runs when filters reject many;
   * `next` continues it as `before`, and is null at the end.
   */
  runs(projects: Projects, query: RunQuery): Promise<{ runs: RunRow[]; next: Micros | null }>;
  run(projects: Projects, project: string, id: string): Promise<RunRow | null>;
  /** The newest open runs that this token reports, without those that are silent since `since`. */
  openRuns(project: string, token: string, since: Micros): Promise<OpenRun[]>;
  /** The runs with these ids, in all projects. */
  runPlaces(projects: Projects, ids: readonly string[]): Promise<RunPlace[]>;
  /** The projects that have a run of this id, at most `limit`. */
  projectsOfRun(projects: Projects, id: string, limit: number): Promise<string[]>;
  /** Events of a run with `ts` strictly between `after` and `before`; oldest first by default. */
  runEvents(
    run: RunRow,
    page: { after?: Micros; before?: Micros; order?: "oldest first" | "newest first"; limit: number },
  ): Promise<RenderedEvent[]>;
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
  /** Of these events without a `run_id`, the `ts` of those that a run has by the rule. */
  eventsInRuns(
    events: readonly { project: string; rule_key: string; ts: Micros }[],
  ): Promise<ReadonlySet<Micros>>;
  /** The run without a `run_id` that an actor had on a task at this time; see `ruleKey`. */
  ruleRunAt(project: string, ruleKey: string, at: Micros): Promise<RunRow | null>;
  /**
   * Of these events, those after which the run finished, or another run of its project, task and lane, or the
   * task was closed.
   * @param failures the `ts` of the events
   */
  repairedSince(failures: readonly Micros[]): Promise<ReadonlySet<Micros>>;
  /** The runs before and after this one on its task, by `listed_at`. */
  runAttempts(run: RunRow): Promise<{ previous: RunRow | null; next: RunRow | null }>;
}

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

export interface RunWrites {
  /** Stores a brief; one with the same text was given before, so it changes nothing. */
  addBrief(brief: NewBrief): Promise<void>;
  addRecall(recall: NewRecall): Promise<void>;
  /**
   * Deletes the texts of briefs, and recalls, from before this time. @returns how many rows, a bounded number
   */
  trimBriefs(before: Micros): Promise<number>;
}
