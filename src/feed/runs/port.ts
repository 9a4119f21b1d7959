/** Runs as rows, and the reads of the data port for them. */
import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { RenderedEvent } from "../rows.ts";
import type { Run, StoredRunStatus } from "./schema.ts";

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
  brief: (Omit<NonNullable<Run["brief"]>, "at"> & { at: Micros }) | null;
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
