/** A page of the feed in one text, and the feed notifier, as readers of the live feed use it. */

import type { RepositoryPlace, SourceRepository } from "../core/forges/schema.ts";
import type { Micros } from "../core/lib/time.ts";
import type { CoreData, CoreReads, CoreWrites, TransactionOptions } from "../core/port.ts";
import type { NewAudit, Projects } from "../core/rows.ts";
import type { FeedFilter } from "./filters.ts";
import type { ProjectLink } from "./projects/schema.ts";
import type {
  Appendable,
  BudgetRow,
  BudgetScope,
  ClaimRow,
  GroupDays,
  GroupUsage,
  LinkedRepository,
  OpenRun,
  ProjectRange,
  ProjectRow,
  RememberedGroup,
  RenderedEvent,
  RunOutline,
  RunPlace,
  RunQuery,
  RunRow,
  RunUsage,
  SpendingRow,
  SummedGroup,
  TaskCount,
  TaskUsage,
  UsageFilter,
  UsageRange,
  UsageRow,
} from "./rows.ts";
import type { StoredRunStatus } from "./runs/schema.ts";
import type { TouchedFile } from "./runs/touched-files.ts";
import type { EventRow } from "./schema.ts";

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

export interface FeedReads extends CoreReads {
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
  /** The values of a field that events of these projects have, of these kinds or of all, at most 200. */
  filterValues(
    projects: Projects,
    name: "actor" | "lane" | "team" | "person",
    kinds?: readonly EventRow["kind"][],
  ): Promise<string[]>;
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

  /** The budgets whose project the caller may read, those without one only for a caller of all projects. */
  budgets(projects: Projects): Promise<BudgetRow[]>;
  /** What is spent in the periods that a day is in; a budget without cost has no row. */
  spendingOn(day: string): Promise<SpendingRow[]>;
  /** The cost of this work on each day of a range, from the daily sums; days without cost are left out. */
  costByDay(scope: BudgetScope, range: UsageRange): Promise<Pick<UsageRow, "day" | "cost_equiv">[]>;

  /**
   * Slugs of the projects linked to these repositories. Keys are repository names in lower case. Of a name
   * that several forges have, it is the one on github.com; without that, the name is left out.
   */
  projectsOfRepos(repos: string[]): Promise<Map<string, string>>;
  /** The links on this forge, on any host, that have the name, ignoring case, or the forge's id. */
  linksOfRepository(repository: SourceRepository): Promise<LinkedRepository[]>;
  /** All links on this forge and host. */
  linksOn(place: Pick<RepositoryPlace, "forge" | "host">): Promise<LinkedRepository[]>;
  /** Whether a forge has sent a webhook for one of these projects. */
  hasWebhook(projects: Projects): Promise<boolean>;

  /**
   * Runs by `listed_at`, newest first. A page may hold fewer than `limit` runs when filters reject many;
   * `next` continues it as `before`, and is null at the end.
   */
  runs(projects: Projects, query: RunQuery): Promise<{ runs: RunRow[]; next: Micros | null }>;
  /** As `runs` of one status, without what only the details of a run show. */
  runOutlines(projects: Projects, query: RunQuery & { status: StoredRunStatus }): Promise<RunOutline[]>;
  /** These runs, in the same order; without those that were deleted. */
  runsByIds(runs: readonly Pick<RunRow, "project" | "id">[]): Promise<RunRow[]>;
  run(projects: Projects, project: string, id: string): Promise<RunRow | null>;
  /** The files that runs of a project changed, newest first, by the ids of the runs that have some. */
  runFiles(project: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly TouchedFile[]>>;
  /** The newest open runs that this token reports, without those that are silent since `since`. */
  openRuns(project: string, token: string, since: Micros): Promise<OpenRun[]>;
  /** The runs with these ids, in all projects. */
  runPlaces(projects: Projects, ids: readonly string[]): Promise<RunPlace[]>;
  /** The projects that have a run of this id, at most `limit`. */
  projectsOfRun(projects: Projects, id: string, limit: number): Promise<string[]>;
  /**
   * Events of a run with `ts` strictly between `after` and `before`; oldest first by default. The payload is
   * JSON text.
   */
  runEvents(
    run: RunRow,
    page: { after?: Micros; before?: Micros; order?: "oldest first" | "newest first"; limit: number },
  ): Promise<(RenderedEvent & { payload: string | null })[]>;
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
  /** Of these events, those that were backfilled. @param times their `ts` */
  backfilledAt(times: readonly Micros[]): Promise<ReadonlySet<Micros>>;
  /** The runs before and after this one on its task, by `listed_at`. */
  runAttempts(run: RunRow): Promise<{ previous: RunRow | null; next: RunRow | null }>;

  /** The claims of a project, also those that are over, newest first. */
  claims(project: string): Promise<ClaimRow[]>;

  /**
   * Usage of each group in a range, or with `perDay` of each group and day. Reads the daily sums of the
   * range, never events. `withoutRest`: of teams or persons, without the row of work that is of none.
   */
  groupUsage(
    projects: Projects,
    query: UsageFilter & { by: SummedGroup; perDay: boolean; withoutRest?: true },
  ): Promise<GroupUsage[]>;
  /** The same as a process remembers it; null for a range that is too long for that. */
  groupDays(projects: Projects, query: ProjectRange & { by: RememberedGroup }): Promise<GroupDays | null>;
  /** The most expensive runs that started in a range. */
  expensiveRuns(projects: Projects, query: UsageFilter & { limit: number }): Promise<RunUsage[]>;
  /** How many runs started in a range. */
  countRuns(projects: Projects, query: UsageFilter): Promise<number>;
  /** The most expensive tasks of a range, from the daily sums; among equals, those with more tokens. */
  expensiveTasks(projects: Projects, query: ProjectRange & { limit: number }): Promise<TaskUsage[]>;
  /** All tasks of a range, and what names none. */
  countTasks(projects: Projects, query: ProjectRange): Promise<TaskCount>;
}

/** The outcome of an append. */
export interface AppendResult {
  /** The new rows, in order. */
  added: EventRow[];
  /** How many events were skipped because their key exists. */
  duplicates: number;
}

export interface FeedWrites extends FeedReads, CoreWrites {
  /**
   * Appends events to the feed; the only way to add events. Each one gets the next free microsecond: from
   * the clock, but never before the newest event, or, with a `ts` in the past (an import), from that. An
   * event with a known `dedupe_key` is skipped. Updates the counters, issues, runs, and budgets; the reads of
   * usage and of recall include the events from then on.
   */
  append(events: Appendable[]): Promise<AppendResult>;
  /** Links a project, or updates a linked one. `repo taken`: another project has the repository. */
  linkProject(link: ProjectLink, at: Micros): Promise<"linked" | "changed" | "repo taken">;

  /** Adds a claim, or replaces that of its subject. */
  saveClaim(row: ClaimRow): Promise<void>;
  removeClaims(project: string, subjects: readonly string[]): Promise<void>;
  /** Those made with these tokens, or held by this actor. */
  removeClaimsOf(tokens: readonly string[], holder: string): Promise<void>;
  /** Removes the claims that were over before this time. @returns how many */
  trimClaims(before: Micros): Promise<number>;

  /** @returns its id */
  addBudget(budget: Omit<BudgetRow, "id">): Promise<number>;
  changeBudget(id: number, change: Pick<BudgetRow, "amount" | "changed_by" | "changed_at">): Promise<void>;
  /** Also removes what it has counted. */
  removeBudget(id: number): Promise<void>;
  /** Replaces what is spent and notified in a period. */
  setSpending(row: SpendingRow): Promise<void>;

  /** Stores the ids and names of linked repositories, which may exchange names. */
  saveLinks(links: LinkedRepository[]): Promise<void>;
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
  atomically<T>(work: (writes: FeedWrites) => Promise<T>, options?: TransactionOptions): Promise<T>;
}
