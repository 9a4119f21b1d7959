/**
 * The port to the database: the only interface the rest of the program uses to read and write rows. `db/`
 * has one implementation for SQLite and Postgres. Start reading here.
 *
 * `projects` lists the projects the caller may read; null allows all. Outcomes that a caller can cause are
 * returned as values. When the database is unavailable, every method throws a Problem 503. Timestamps
 * (`Micros`) are microseconds since 1970.
 */

import type { BudgetReads, BudgetWrites } from "../feed/budgets/port.ts";
import type { FeedFilter } from "../feed/filters.ts";
import type { JoinedEvents } from "../feed/port.ts";
import type { ProjectLink } from "../feed/projects/schema.ts";
import type { RunReads, RunWrites } from "../feed/runs/port.ts";
import type { EventRow } from "../feed/schema.ts";
import type { UsageReads } from "../feed/usage/port.ts";
import type { DigestReads, DigestWrites } from "../integrations/email/port.ts";
import type { ForgeReads, ForgeWrites } from "../integrations/forges/port.ts";
import type { TelemetryReads, TelemetryWrites } from "../integrations/telemetry/port.ts";
import type { WebhookReads, WebhookWrites } from "../integrations/webhooks/port.ts";
import type { AnnotationReads, AnnotationWrites } from "../library/annotations/port.ts";
import type { BundleReads, BundleWrites, UploadReads, UploadWrites } from "../library/assets/port.ts";
import type { ChecklistReads, ChecklistWrites } from "../library/checklists/port.ts";
import type { OutboxReads, OutboxWrites } from "../library/outbox/port.ts";
import type { ProvenanceReads, ProvenanceWrites } from "../library/provenance/port.ts";
import type { RepeatReads, RepeatWrites } from "../library/repeats/port.ts";
import type { ReviewQueueReads } from "../library/review-queue/port.ts";
import type { ReviewRequestReads, ReviewRequestWrites } from "../library/review-requests/port.ts";
import type { ShareReads, ShareWrites } from "../library/shares/port.ts";
import type { VariantSetReads } from "../library/variant-sets/port.ts";
import type { VerdictReads, VerdictWrites } from "../library/verdicts/port.ts";
import type { MemoryReads } from "../memory/port.ts";
import type { MemoryKind } from "../memory/schema.ts";
import type { InboxReads, InboxWrites } from "../overview/inbox/port.ts";
import type { TaskReads } from "../overview/tasks/port.ts";
import type { TodayReads, TodayWrites } from "../overview/today/port.ts";
import type { AuthReads, AuthWrites } from "./auth/port.ts";
import type { Micros } from "./lib/time.ts";
import type { Maintenance } from "./maintenance.ts";
import type {
  Appendable,
  AssetChange,
  AssetPage,
  AssetRow,
  AuditRow,
  ClientWindow,
  DecisionRow,
  GuidanceRow,
  GuidanceSection,
  Match,
  ModelRow,
  NewAudit,
  NewDecision,
  NewNote,
  NewPreference,
  PreferenceRow,
  ProjectRow,
  Projects,
  RenderedAsset,
  RenderedEvent,
  SearchHit,
  SearchQuery,
  UsageRow,
} from "./rows.ts";

export interface Reads
  extends AnnotationReads,
    AuthReads,
    MemoryReads,
    RunReads,
    TaskReads,
    TelemetryReads,
    TodayReads,
    UploadReads,
    BundleReads,
    InboxReads,
    DigestReads,
    UsageReads,
    BudgetReads,
    ForgeReads,
    OutboxReads,
    ProvenanceReads,
    ReviewQueueReads,
    RepeatReads,
    ReviewRequestReads,
    ShareReads,
    VariantSetReads,
    VerdictReads,
    ChecklistReads,
    WebhookReads {
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

  models(): Promise<ModelRow[]>;
  /** Guidance sections of a model, sorted by source, in document order. */
  guidance(model: string, limit: number): Promise<GuidanceRow[]>;
  /**
   * Full-text search: the best matches by the database's own ranking, or the newest. Of events, those are
   * found that were appended before the last `countMatches`, which comes first.
   */
  search(projects: Projects, kind: MemoryKind, query: SearchQuery): Promise<SearchHit[]>;
  /** For each match, the number of visible rows of each kind that it finds, counted up to `max`. */
  countMatches(projects: Projects, matches: Match[], max: number): Promise<Record<MemoryKind, number>[]>;
  /** The languages apart from English that searchable texts are written in (ISO 639-1). */
  textLanguages(): Promise<string[]>;
  /**
   * Typo candidates: visible words that share trigrams with `grams`, those that share most first. As
   * `search`, it follows `countMatches`.
   */
  findSimilarWords(projects: Projects, grams: string[], limit: number): Promise<string[]>;
  /** Usage by day from `since` (a UTC day such as `2026-01-02`), oldest first. */
  usage(project: string, since: string): Promise<UsageRow[]>;

  /** Null when the asset does not exist or the caller may not read it. */
  asset(projects: Projects, id: string): Promise<AssetRow | null>;
  /** All versions of an asset, oldest first. */
  versions(rootId: string): Promise<AssetRow[]>;
  /** Pending assets first, then newest first; with the order `oldest` the reverse. */
  assets(projects: Projects, page: AssetPage): Promise<RenderedAsset[]>;
  /** The ids whose file should exist in the private store (`key`) or the public one (`public_url`). */
  assetsWithFile(ids: string[], where: "key" | "public_url"): Promise<Set<string>>;
  /** Assets that have expired and whose file has not been deleted yet. */
  expiredAssets(now: Micros, limit: number): Promise<AssetRow[]>;

  /** The value of an internal setting; null when it is not set. */
  setting(name: string): Promise<string | null>;
  /** When the database was created. */
  createdAt(): Promise<Micros>;
  /** Audit log, newest first, not older than `since`. */
  audit(query: { since?: Micros; who?: string; what?: string[]; limit: number }): Promise<AuditRow[]>;
}

/** The outcome of an append. */
export interface AppendResult {
  /** The new rows, in order. */
  added: EventRow[];
  /** How many events were skipped because their key exists. */
  duplicates: number;
}

export interface Writes
  extends Reads,
    AnnotationWrites,
    AuthWrites,
    TelemetryWrites,
    TodayWrites,
    UploadWrites,
    BundleWrites,
    InboxWrites,
    DigestWrites,
    RunWrites,
    BudgetWrites,
    ForgeWrites,
    OutboxWrites,
    ProvenanceWrites,
    RepeatWrites,
    ReviewRequestWrites,
    ShareWrites,
    VerdictWrites,
    ChecklistWrites,
    WebhookWrites {
  /**
   * Appends events to the feed; the only way to add events. Each one gets the next free microsecond: from
   * the clock, but never before the newest event, or, with a `ts` in the past (an import), from that. An
   * event with a known `dedupe_key` is skipped. Updates the counters, issues, runs, and budgets; the reads of
   * usage and of recall include the events from then on.
   */
  append(events: Appendable[]): Promise<AppendResult>;
  /** Links a project, or updates a linked one. `repo taken`: another project has the repository. */
  linkProject(link: ProjectLink, at: Micros): Promise<"linked" | "changed" | "repo taken">;
  /** Null when `supersedes` is not a current decision of the project. */
  addDecision(decision: NewDecision): Promise<DecisionRow | null>;
  /**
   * Ends a current decision of the project, or those from a source, without replacing them; they stay in the
   * history. @returns how many
   */
  retireDecisions(
    project: string,
    which: Pick<DecisionRow, "id"> | Pick<DecisionRow, "source" | "source_ref">,
    at: Micros,
  ): Promise<number>;
  /** Sets a preference and ends the previous value. An equal value changes nothing. */
  setPreference(preference: NewPreference): Promise<{ preference: PreferenceRow; changed: boolean }>;
  addNote(note: NewNote): Promise<void>;
  /** Ends the notes of approving reviews of this asset. */
  retireNotes(asset: string, at: Micros): Promise<void>;
  saveModel(model: ModelRow): Promise<void>;
  /** Replaces the guidance of a model from one source, and updates the model's counts and refresh time. */
  saveGuidance(model: string, source: string, sections: GuidanceSection[], at: Micros): Promise<void>;
  /** Copies usage rows that changed since they were last summarized. @returns how many, at most `limit` */
  summarizeUsage(project: string, limit: number): Promise<number>;
  /** Stores how many of the project's events have been summarized into memory. */
  setDigestedCount(project: string, events: number): Promise<void>;
  /** False when the id exists: a concurrent request has finalized the upload. */
  addAsset(asset: AssetRow): Promise<boolean>;
  /** Updates an asset; does nothing when it does not exist. */
  changeAsset(id: string, change: AssetChange): Promise<void>;

  /** Stores the value, replacing any previous one. */
  setSetting(name: string, value: string): Promise<void>;
  /** Adds an audit row, or adds to the count of the row with the same slot. */
  addAudit(row: NewAudit): Promise<void>;
  /**
   * Deletes a bounded number of the oldest audit rows: those before `before`, then those beyond `most` rows,
   * counted separately for bulk rows (appends, webhooks, and refused requests) and for all others. @returns
   * how many were deleted
   */
  trimAudit(before: Micros, most: number): Promise<number>;
}

/** The `sslmode` of a Postgres connection. */
export type TlsMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

/** The connection to a database server. */
export interface Connection {
  tls: TlsMode;
  /** Over a Unix socket or a loopback address. */
  isLocal: boolean;
}

export interface Data extends Reads, Maintenance {
  /** The connection to the database server; null when the database is a local file. */
  connection: Connection | null;
  /**
   * Runs `work` in one transaction under the write lock that all processes share. When `work` throws,
   * everything is rolled back. Its reads see its own writes. It must await nothing but the database, since
   * it blocks all other writers. It may be called again after a serialization failure.
   */
  atomically<T>(work: (writes: Writes) => Promise<T>): Promise<T>;
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
  /** Changes with each commit of any process; null when reading it costs as much as the cached read. */
  dataVersion(): number | null;
  /**
   * Changes with each commit that may have changed a token: every one of another process, and those of this
   * one that did more than append. Null when reading it costs as much as the token.
   */
  tokensVersion(): number | null;
  /**
   * Whether this process is the leader for a background job. The first call makes it a candidate; it takes
   * over when the leader exits or goes silent. Two leaders can overlap for a moment, so jobs must be
   * idempotent.
   */
  isLeader(job: string): boolean;
  /**
   * Adds requests to the rate-limit windows that all processes share. @returns the total of each window and
   * when it ends. Null on SQLite, where a single process serves the database and counts in memory.
   */
  countRequests:
    | ((
        counts: ReadonlyMap<string, number>,
        now: Micros,
        length: Micros,
      ) => Promise<Map<string, ClientWindow>>)
    | null;
  close(): Promise<void>;
}
