/** The tables of runs: their rows, and what they were told and searched for. */
import type { StoredRunStatus } from "../../src/feed/runs/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineRunTables = ({ table, serial, int, real, text }: ColumnKit) => ({
  /** Runs, derived from their events; see src/feed/runs/fold.ts. */
  runs: table("runs", () => ({
    id: text().notNull(),
    project: text().notNull(),
    issue: int(),
    pr: int(),
    actor: text().notNull(),
    /** JSON text: a list of names. */
    models: text().notNull(),
    lane: text(),
    status: text().$type<StoredRunStatus>().notNull(),
    started_at: int().notNull(),
    ended_at: int(),
    /** `ts` of its newest event: unique, as an event belongs to one run at most. */
    last_event_at: int().notNull(),
    /** Its position in lists; see src/feed/runs/position.ts. Unique, as it is the `ts` of one of its events. */
    listed_at: int().notNull(),
    /** `ts` of the event since which it is `waiting`. */
    waiting_since: int(),
    duration_ms: int(),
    steps: int().notNull(),
    tokens_in: int().notNull(),
    tokens_out: int().notNull(),
    cache_read: int().notNull(),
    cache_write: int().notNull(),
    cost_equiv: real().notNull(),
    summary: text().notNull(),
    parent: text(),
    branch: text(),
    assets: int().notNull(),
    decisions: int().notNull(),
    /** Actor and task of a run without a `run_id`; see src/feed/runs/rule.ts. */
    rule_key: text(),
    /** The token that reports it, until its end; see src/feed/runs/join-run.ts. */
    token: text(),
    /** JSON text: the times that decide between the values of two events. */
    marks: text().notNull(),
    /** Whose work it is. */
    person: text(),
    team: text(),
    /** JSON text: see src/feed/runs/touched-files.ts; null without one. */
    files: text(),
  })),
  /** Who works on a task or on files, for a time; see src/feed/claims. */
  claims: table("claims", () => ({
    project: text().notNull(),
    subject: text().notNull(),
    holder: text().notNull(),
    run_id: text(),
    token: text().notNull(),
    note: text(),
    /** In microseconds, from the newest event of the run or from `renewed_at`. */
    lease: int().notNull(),
    claimed_at: int().notNull(),
    renewed_at: int().notNull(),
  })),
  /** What lists of tasks sort and count by; see db/overview/tasks/stored-tasks.ts. */
  tasks: table("tasks", () => ({
    project: text().notNull(),
    /** 0 for a pull request that belongs to no issue. */
    issue: int().notNull(),
    /** 0 for an issue. */
    pr: int().notNull(),
    /** As if none of its runs were open. */
    stage: text().notNull(),
    /** The newest event of its open runs; the highest number if one of them waits. */
    live_at: int(),
    state: text(),
    listed_at: int().notNull(),
    opened_at: int().notNull(),
    runs: int().notNull(),
    cost_equiv: real().notNull(),
  })),
  /** How many tasks of a project are in each stage. Triggers count. */
  task_counts: table("task_counts", () => ({
    project: text().notNull(),
    stage: text().notNull(),
    count: int().notNull(),
  })),
  /** Tasks that changed since their rows were derived. Triggers and appends add them. */
  stale_tasks: table("stale_tasks", () => ({
    project: text().notNull(),
    issue: int().notNull(),
    pr: int().notNull(),
  })),
  /** What runs were told. `text` is deleted after 90 days. */
  briefs: table("briefs", () => ({
    id: serial(),
    project: text().notNull(),
    run_id: text().notNull(),
    at: int().notNull(),
    hash: text().notNull(),
    chars: int().notNull(),
    text: text(),
  })),
  brief_decisions: table("brief_decisions", () => ({ decision: int().notNull(), brief: int().notNull() })),
  /** What runs searched memory for; deleted after 90 days. */
  recalls: table("recalls", () => ({
    id: serial(),
    project: text().notNull(),
    run_id: text().notNull(),
    at: int().notNull(),
    query: text().notNull(),
    hits: int().notNull(),
  })),
});
