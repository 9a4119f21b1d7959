/**
 * The one interface to the rows, for every dialect. The page to read first.
 *
 * Reads take `projects`: the only ones the caller may see, or null for all. Refusals that a caller can cause
 * come back as values; a database that does not answer is a Problem 503.
 */
import type { EventRow, FeedFilter } from "./feed/schema.ts";
import type { Micros } from "./lib/time.ts";
import type { AllRows, Discrepancy, Replacement } from "./maintenance.ts";
import type { MemoryKind } from "./memory/schema.ts";
import type { ProjectLink } from "./projects/schema.ts";
import type {
  Appendable,
  AssetChange,
  AssetFilter,
  AssetRow,
  AuditRow,
  ClientWindow,
  DecisionRow,
  FoundRow,
  GuidanceRow,
  GuidanceSection,
  LinkedRepository,
  Match,
  ModelRow,
  NewAudit,
  NewDecision,
  NewNote,
  NewPreference,
  NewToken,
  OutboxRow,
  PreferenceRow,
  ProjectRow,
  Projects,
  RejectionRow,
  Rendered,
  RenderedPage,
  SearchQuery,
  SessionRow,
  ShownAsset,
  TokenRow,
  UploadRow,
  UsageRow,
} from "./rows.ts";

export interface Reads {
  /** Newest first, at most `limit`, strictly inside (`after`, `before`). */
  feed(
    projects: Projects,
    query: FeedFilter & { before?: Micros; after?: Micros; limit: number },
  ): Promise<Rendered[]>;
  /** The same as one text. */
  feedPage(
    projects: Projects,
    query: FeedFilter & { before?: Micros; after?: Micros; limit: number },
  ): Promise<RenderedPage>;
  /** Oldest first, strictly newer than `after`: what a live reader has not seen. */
  feedSince(projects: Projects, query: FeedFilter & { after: Micros; limit: number }): Promise<Rendered[]>;
  /** `ts` of the newest event, 0 in an empty feed. */
  head(): Promise<Micros>;
  eventTime(id: number): Promise<Micros | null>;

  /** By last activity, newest first, nulls last, then by slug; strictly behind `after`. */
  projects(
    projects: Projects,
    page: { limit: number; after?: Pick<ProjectRow, "lastActivity" | "slug"> },
  ): Promise<ProjectRow[]>;
  project(projects: Projects, slug: string): Promise<ProjectRow | null>;
  /** Slugs of the linked projects among these repositories, by repository in lower case. */
  projectsOfRepos(repos: string[]): Promise<Map<string, string>>;
  /** The project that is linked to a repository of GitHub: by its name in any case, or else by its id. */
  projectOfRepository(repository: { id: number; full_name: string }): Promise<LinkedRepository | null>;

  /** Not superseded and not retired, newest first. */
  currentDecisions(project: string, limit: number): Promise<DecisionRow[]>;
  /** Those whose place a current one took, each with the id of that. */
  supersededDecisions(project: string): Promise<(DecisionRow & { by: number })[]>;
  /** The current one of the project that says exactly this; notes of reviews are none. */
  decisionThatSays(project: string, text: string): Promise<DecisionRow | null>;
  /** Newest first; of the assets of an issue, or of all. */
  rejections(project: string, issue: number | undefined, limit: number): Promise<RejectionRow[]>;
  /** Current ones of the project and those for all, by key; the project's own first. */
  preferences(project: string | null): Promise<PreferenceRow[]>;
  models(): Promise<ModelRow[]>;
  /** Sections of a model, by source, in its order. */
  guidance(model: string, limit: number): Promise<GuidanceRow[]>;
  /** Those that are most like the query, as the database sees it, or the newest. */
  search(projects: Projects, kind: MemoryKind, query: SearchQuery): Promise<FoundRow[]>;
  /** How many rows that the caller may see each of them finds in each kind, counted up to `max`. */
  countMatches(projects: Projects, matches: Match[], max: number): Promise<Record<MemoryKind, number>[]>;
  /** Words of what the caller may see that share runs of characters with one, those that share most first. */
  findSimilarWords(projects: Projects, grams: string[], limit: number): Promise<string[]>;
  /** What was folded into memory, newest day first. */
  rollups(project: string, limit: number): Promise<UsageRow[]>;
  /** From `since` (a day, `2026-01-02`) on, by day. */
  usage(project: string, since: string): Promise<UsageRow[]>;

  asset(projects: Projects, id: string): Promise<AssetRow | null>;
  /** A chain, oldest first. */
  versions(rootId: string): Promise<AssetRow[]>;
  /** Pending first, then newest first; strictly behind `after`. */
  assets(
    projects: Projects,
    page: AssetFilter & { limit: number; after?: Pick<AssetRow, "status" | "created_at" | "id"> },
  ): Promise<AssetRow[]>;
  /** The same as their texts. */
  shownAssets(...of: Parameters<Reads["assets"]>): Promise<ShownAsset[]>;
  upload(id: string): Promise<UploadRow | null>;
  /**
   * Which of these ids have bytes that a row answers for, in the private store (`key`) or in the public one.
   */
  keptAssets(ids: string[], where: "key" | "public_url"): Promise<Set<string>>;
  /** Assets whose time is over and whose bytes are still there. */
  expiredAssets(now: Micros, limit: number): Promise<AssetRow[]>;
  /** Reservations that ended before then. */
  expiredUploads(before: Micros, limit: number): Promise<UploadRow[]>;
  /**
   * Of the whole deployment: what waits for the source host, since when at the longest, and uploads that
   * nobody finalized yet.
   */
  backlog(now: Micros): Promise<{ outbox: number; oldest: Micros | null; uploads: number }>;
  /** Due at `now`, oldest first. */
  dueOutbox(now: Micros, limit: number): Promise<OutboxRow[]>;

  /** What the service keeps of itself under this name. */
  setting(name: string): Promise<string | null>;
  /** When the database was made. */
  birth(): Promise<Micros>;
  /** The one whose hash this is, or was until it was rotated. */
  token(hash: string): Promise<TokenRow | null>;
  tokens(): Promise<TokenRow[]>;
  /**
   * The one whose id has this hash, expired or not, with the token of the database that it was opened with.
   */
  session(hash: string): Promise<(SessionRow & { tokenRow: TokenRow | null }) | null>;
  /** Newest first, not older than `since`. */
  audit(query: { since?: Micros; who?: string; limit: number }): Promise<AuditRow[]>;
}

/** What became of a batch of events. */
export interface Appended {
  /** The rows added, in order. */
  added: EventRow[];
  duplicates: number;
}

export interface Writes extends Reads {
  /**
   * The one way into the feed. Each event gets the next free microsecond: of the clock and never earlier than
   * the newest event, or, where it has a `ts` of the past, of that. Keys that are there already add nothing.
   * Counters, issues and usage of the projects move with it.
   */
  append(events: Appendable[]): Promise<Appended>;
  /**
   * Links a project, or changes what is said of a linked one. False where another project has the repository.
   */
  linkProject(link: ProjectLink, at: Micros): Promise<"linked" | "changed" | "repo taken">;
  /** Keeps the id of a linked repository, and its name where that has changed. */
  followRepository(repository: { id: number; full_name: string }): Promise<void>;
  /** Null where `supersedes` names no current decision of the project. */
  addDecision(decision: NewDecision): Promise<DecisionRow | null>;
  /** Ends the current decisions of this origin; they stay in history. */
  retireDecisions(project: string, of: Pick<DecisionRow, "source" | "source_ref">, at: Micros): Promise<void>;
  /** False where it is no current decision of the project. Nothing takes its place. */
  endDecision(project: string, id: number, at: Micros): Promise<boolean>;
  /** Ends the value that the key had there; the same value again changes nothing. */
  setPreference(preference: NewPreference): Promise<{ preference: PreferenceRow; changed: boolean }>;
  addNote(note: NewNote): Promise<void>;
  /** Ends what a review that approved said of the asset. */
  retireNotes(asset: string, at: Micros): Promise<void>;
  saveModel(model: ModelRow): Promise<void>;
  /** Replaces what the source said of the model; its counts and its time follow. */
  saveGuidance(model: string, source: string, sections: GuidanceSection[], at: Micros): Promise<void>;
  /** Copies sums that changed since they were folded. @returns how many there were, at most `limit` */
  foldUsage(project: string, limit: number): Promise<number>;
  /** How many of the project's events are folded into memory. */
  setDigested(project: string, events: number): Promise<void>;
  addUpload(upload: Omit<UploadRow, "size" | "sha256">): Promise<void>;
  /** Its bytes are here. */
  fillUpload(id: string, bytes: { size: number; sha256: string }): Promise<void>;
  removeUpload(id: string): Promise<void>;
  /** False where the id is taken: somebody was first. */
  addAsset(asset: AssetRow): Promise<boolean>;
  changeAsset(id: string, change: AssetChange): Promise<void>;
  addOutbox(row: Omit<OutboxRow, "id" | "attempts">): Promise<void>;
  /**
   * The oldest one due, counted as an attempt and hidden from everybody else until then; null where none is
   * due.
   */
  claimOutbox(now: Micros, until: Micros): Promise<OutboxRow | null>;
  /** Tries again at `due_at`. */
  delayOutbox(id: number, due_at: Micros): Promise<void>;
  removeOutbox(id: number): Promise<void>;

  /** Keeps the value, unless there is one. @returns the one that is kept */
  keepSetting(name: string, value: string): Promise<string>;
  /** Sets the value, in place of the one before. */
  changeSetting(name: string, value: string): Promise<void>;
  /** False where the name was ever used. */
  addToken(token: NewToken): Promise<boolean>;
  /** False where no such token is valid. */
  revokeToken(name: string, at: Micros): Promise<boolean>;
  /**
   * Another secret under the same name; the one before holds until then. False where no such token is valid.
   */
  rotateToken(name: string, hash: string, at: Micros, previousUntil: Micros | null): Promise<boolean>;
  /** The tokens of these hashes were used then. */
  touchTokens(hashes: string[], at: Micros): Promise<void>;
  addSession(session: SessionRow): Promise<void>;
  removeSession(hash: string): Promise<void>;
  /** @returns how many it removed, at most `limit` */
  removeExpiredSessions(now: Micros, limit: number): Promise<number>;
  /** Adds a row, or adds to the count of the one with the same slot. */
  addAudit(row: NewAudit): Promise<void>;
  /**
   * Removes some of the oldest rows: those before then, and what is more than `most` of requests that
   * appended or were refused, and of all others. @returns how many it removed
   */
  trimAudit(before: Micros, most: number): Promise<number>;
}

/** `sslmode` of a connection to Postgres. */
export type TlsMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

/** How a database of another process is reached. */
export interface Connection {
  tls: TlsMode;
  /** By a socket or a loopback address. */
  isLocal: boolean;
}

export interface Data extends Reads {
  /** Null where the database is a file of this process. */
  connection: Connection | null;
  /**
   * Runs `work` in one transaction under the lock that every writer takes, here and in other processes: all
   * of it is kept, or, when it throws, nothing. Its reads see what it wrote. It must not wait for anything
   * but the database.
   */
  atomically<T>(work: (writes: Writes) => Promise<T>): Promise<T>;
  /**
   * Appends in a transaction that does nothing else but to keep the row that `note` makes of it. Much faster
   * than `atomically` where many do it at once: they are made as one, and each is kept or fails by itself.
   */
  append(events: Appendable[], note?: (made: Appended) => NewAudit): Promise<Appended>;
  /**
   * Every row as it is at one moment, whatever is written meanwhile. To be read without delay: the database
   * keeps that moment.
   */
  snapshot<T>(work: (rows: AllRows) => Promise<T>): Promise<T>;
  /**
   * Removes every row for those that `work` puts there, in one transaction: all of it is kept, or, when it
   * throws, nothing.
   */
  replaceEverything<T>(work: (rows: Replacement) => Promise<T>): Promise<T>;
  /** Id of the deployment. A copy of the database gets another one, so two databases never share an id. */
  deployment(): Promise<string>;
  /** Makes another id, so that this database no longer owns any store. */
  renewDeployment(): Promise<void>;
  /** What does not agree, at one moment. */
  discrepancies(): Promise<Discrepancy[]>;
  /**
   * Makes anew what follows from other rows, of these kinds: counters, sums, the queue, the indexes of
   * recall. Others stay as they are.
   */
  recount(kinds: Discrepancy["kind"][]): Promise<void>;
  /** Whether the database's own check of its file finds nothing; null where it has none. */
  isSound(): Promise<boolean | null>;
  /** Whether this process met damaged pages. From then on it refuses to write. */
  isDamaged(): boolean;
  /**
   * Calls back after appends: of this process at once, of others by notification or at most `pollMs` late.
   */
  onAppend(wake: () => void): () => void;
  /**
   * Another number after each commit, of whatever process; null where telling would cost as much as a read.
   */
  edition(): number | null;
  /**
   * Whether this process does that work, of all on this database. Who asks stands for it from then on, and
   * takes over from a process that ends, dies or falls silent. A moment's overlap is possible, so the work
   * must bear being done twice.
   */
  leads(work: string): boolean;
  /**
   * Adds requests to the windows of their clients, which all processes on this database share. Null where one
   * process serves a database, and can count by itself. @returns what each window holds now, and when it ends
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
