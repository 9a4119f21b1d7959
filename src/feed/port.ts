/** A page of the feed in one text, and the feed notifier, as readers of the live feed use it. */

import type { Micros } from "../core/lib/time.ts";
import type { CoreData, CoreReads, CoreWrites } from "../core/port.ts";
import type { NewAudit, Projects } from "../core/rows.ts";
import type { BudgetReads, BudgetWrites } from "./budgets/port.ts";
import type { FeedFilter } from "./filters.ts";
import type { ForgeReads, ForgeWrites } from "./projects/port.ts";
import type { ProjectLink } from "./projects/schema.ts";
import type { Appendable, ProjectRow, RenderedEvent, UsageRow } from "./rows.ts";
import type { RunReads } from "./runs/port.ts";
import type { EventRow } from "./schema.ts";
import type { UsageReads } from "./usage/port.ts";

/** The number of events that a live reader gets at a time, at most. */
export const streamBatchMax = 100;

export interface FeedNotifier {
  /**
   * Increases with every append. A reader notes it before it reads, so it misses nothing appended meanwhile.
   */
  readonly version: number;
  readonly closed: boolean;
  /**
   * Resolves when `version` is no longer current, when the notifier closes, or after `recheckMs`. All readers
   * that wait share one promise and one timer.
   */
  waitForChange(version: number): Promise<void>;
  /**
   * Returns a reader of new events, oldest first. Readers with the same projects, filter and position
   * share one query per version. An append during that query raises the version, so they read again.
   */
  sharedReader(
    projects: Projects,
    filter: FeedFilter,
  ): (after: Micros, limit: number) => Promise<RenderedEvent[]>;
  close(): void;
}

/** A page of events in one text. */
export interface JoinedEvents {
  /** Their JSON texts, joined by commas; in UTF-8 if the database gives bytes. */
  wires: string | Uint8Array<ArrayBuffer>;
  count: number;
  /** `ts` of the last event of the page; null without events. */
  last: Micros | null;
  /** Further events follow the last one. */
  hasMore: boolean;
}

export interface FeedReads extends CoreReads, RunReads, UsageReads, BudgetReads, ForgeReads {
  /**
   * Events matching the filter, with `ts` strictly between `after` and `before`; newest first by default.
   * Oldest first, `after` gives what a live reader has not received yet.
   */
  feed(
    projects: Projects,
    query: FeedFilter & {
      before?: Micros;
      after?: Micros;
      order?: "newest first" | "oldest first";
      limit: number;
    },
  ): Promise<RenderedEvent[]>;
  /**
   * The newest of these events, in one text: a page is sent as it is, and a text for each event takes a
   * quarter of the CPU time of the request (`bun run bench feed`).
   */
  joinedFeed(
    projects: Projects,
    query: FeedFilter & { before?: Micros; after?: Micros; limit: number },
  ): Promise<JoinedEvents>;
  /** `ts` of the newest event; 0 when the feed is empty. */
  head(): Promise<Micros>;
  eventTime(id: number): Promise<Micros | null>;
  /** By last activity, newest first, projects without events last; keyset page after `after`. */
  projects(
    projects: Projects,
    page: { limit: number; after?: Pick<ProjectRow, "lastActivity" | "slug"> },
  ): Promise<ProjectRow[]>;
  project(projects: Projects, slug: string): Promise<ProjectRow | null>;
  /** Those of these slugs that are projects which the caller may see. */
  linkedProjects(projects: Projects, slugs: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Usage by day from `since` (a UTC day such as `2026-01-02`), oldest first. */
  usage(project: string, since: string): Promise<UsageRow[]>;
}

/** The outcome of an append. */
export interface AppendResult {
  /** The new rows, in order. */
  added: EventRow[];
  /** How many events were skipped because their key exists. */
  duplicates: number;
}

export interface FeedWrites extends FeedReads, CoreWrites, BudgetWrites, ForgeWrites {
  /**
   * Appends events to the feed; the only way to add events. Each one gets the next free microsecond: from
   * the clock, but never before the newest event, or, with a `ts` in the past (an import), from that. An
   * event with a known `dedupe_key` is skipped. Updates the counters, issues, runs, and budgets; the reads of
   * usage and of recall include the events from then on.
   */
  append(events: Appendable[]): Promise<AppendResult>;
  /** Links a project, or updates a linked one. `repo taken`: another project has the repository. */
  linkProject(link: ProjectLink, at: Micros): Promise<"linked" | "changed" | "repo taken">;
}

export interface FeedData extends FeedReads, CoreData {
  /**
   * Appends events in a transaction of their own, with an optional audit row. Much faster than `atomically`
   * under concurrency: waiting appends are batched into one transaction, and each still succeeds or fails by
   * itself.
   */
  append(events: Appendable[], note?: (result: AppendResult) => NewAudit): Promise<AppendResult>;
  /**
   * Calls `wake` after events were appended: at once by this process; by others on NOTIFY (Postgres) or when
   * polled. @returns unsubscribes
   */
  onAppend(wake: () => void): () => void;
  atomically<T>(work: (writes: FeedWrites) => Promise<T>): Promise<T>;
}
