/**
 * The one interface to the rows, for every dialect. The page to read first.
 *
 * Reads take `projects`: the only ones the caller may see, or null for all. Refusals that a caller can cause come back
 * as values; a database that does not answer is a Problem 503.
 */

import type { Asset, AssetKind, AssetStatus } from "./assets/schema.ts";
import type { Scope } from "./auth/scopes.ts";
import type { EventKind, EventRow, NewEvent } from "./feed/schema.ts";
import type { Decision, MemoryKind, Model } from "./memory/schema.ts";
import type { Project, ProjectLink } from "./projects/schema.ts";
import type { Micros } from "./time.ts";

export type Projects = readonly string[] | null;

export interface FeedFilter {
  project?: string;
  kind?: EventKind;
  actor?: string;
  lane?: string;
}

/** An event as the feed needs it: where it stands, and its text as it goes out. */
export interface Rendered {
  id: number;
  ts: Micros;
  wire: string;
}

export type Appendable = Omit<NewEvent, "ts"> & {
  /** What the sender said beyond the event itself. Kept, never shown. */
  payload?: unknown;
  /** The unsigned id of a delivery: a second key beside `dedupe_key`. */
  delivery_id?: string;
  /** A time of the past; only an import has one. */
  ts?: Micros;
};

/** A decision, and who made it. */
export type DecisionRow = Omit<Decision, "valid_from"> & { actor: string; valid_from: Micros };
export type NewDecision = Omit<DecisionRow, "id"> & { supersedes?: number };

/** The current value of a key; `project` null is for all. */
export interface PreferenceRow {
  id: number;
  project: string | null;
  key: string;
  value: string;
  source: string;
  source_ref: string | null;
  actor: string;
  valid_from: Micros;
}
export type NewPreference = Omit<PreferenceRow, "id">;

/** What a review said that approved. */
export interface NewNote {
  project: string;
  asset: string;
  title: string;
  text: string;
  actor: string;
  valid_from: Micros;
}

/** A part of a vendor's advice: the headings above it, and its text. */
export interface GuidanceSection {
  file: string;
  path: string[];
  text: string;
}
export type GuidanceRow = GuidanceSection & { id: number; model: string; source: string; refreshed_at: Micros };

/** What an index is asked for: a term, what begins with it, all of several, any of several. */
export type Match = { term: string; prefix?: true } | { all: Match[] } | { any: Match[] };

export interface SearchQuery {
  match: Match;
  /** Of this project and of none. */
  project?: string;
  model?: string;
  /** What held then; absent: what holds. */
  asOf?: Micros;
  limit: number;
}

/** A row that a search found, of whatever kind. */
export interface FoundRow {
  kind: MemoryKind;
  id: number;
  project: string | null;
  /** Its heading: a key, a path of headings, a title. */
  head: string;
  text: string;
  source: string;
  source_ref: string | null;
  actor: string;
  valid_from: Micros;
  valid_until: Micros | null;
}

export type ProjectRow = Omit<Project, "lastActivity"> & { lastActivity: Micros | null; check_cmd: string | null };

export type ModelRow = Pick<Model, "id" | "provider" | "lanes" | "guidance_count" | "skill_count"> & {
  onboarded_at: Micros | null;
  refreshed_at: Micros | null;
};

export interface TokenRow {
  name: string;
  hash: string;
  scopes: Scope[];
  projects: string[] | null;
  created_at: Micros;
  expires_at: Micros | null;
  revoked_at: Micros | null;
}

/** An asset as its row holds it. `root_id` names its chain. */
export type AssetRow = Omit<Asset, "created_at" | "reviewed_at" | "expires_at" | "project" | "url" | "thumb_url" | "bundle_url"> & {
  project: string;
  created_at: Micros;
  reviewed_at: Micros | null;
  expires_at: Micros | null;
  root_id: string;
  /** Of the bytes in the private store; null once they were swept. */
  key: string | null;
  has_thumb: boolean;
  /** Of kind html: the page to open, below the asset's files. */
  bundle_index: string | null;
};

/** What a review, a replacement, a publication or a sweep changes of an asset. */
export type AssetChange = Partial<
  Pick<
    AssetRow,
    "status" | "reviewed_by" | "reviewed_at" | "review_note" | "expires_at" | "public_url" | "key" | "has_thumb" | "bundle_index"
  >
>;

export interface AssetFilter {
  project?: string;
  status?: AssetStatus;
  kind?: AssetKind;
  issue?: number;
  pr?: number;
  sha256?: string;
}

/** A reserved id, until it is finalized or forgotten. */
export interface UploadRow {
  id: string;
  project: string;
  key: string;
  content_type: string;
  expires_at: Micros;
}

/** The note of a rejection that holds, and what it was said of. */
export type RejectionRow = DecisionRow & { asset: Pick<AssetRow, "id" | "title" | "version" | "issue" | "pr"> | null };

/** Something to be done at the source host, at least once, marked so that it happens once. */
export interface OutboxRow {
  id: number;
  /** Told apart at the source host by this. */
  marker: string;
  repo: string;
  number: number;
  body: string;
  attempts: number;
  due_at: Micros;
  created_at: Micros;
}

/** Sums of one project, UTC day, lane and model; a lane or model that events did not name is "". */
export interface UsageRow {
  project: string;
  day: string;
  lane: string;
  model: string;
  runs: number;
  failures: number;
  merges: number;
  tokens_in: number;
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  cost_equiv: number;
}

export interface Reads {
  /** Newest first, at most `limit`, strictly inside (`after`, `before`). */
  feed(projects: Projects, query: FeedFilter & { before?: Micros; after?: Micros; limit: number }): Promise<Rendered[]>;
  /** Oldest first, strictly newer than `after`: what a live reader has not seen. */
  feedSince(projects: Projects, query: FeedFilter & { after: Micros; limit: number }): Promise<Rendered[]>;
  /** `ts` of the newest event, 0 in an empty feed. */
  head(): Promise<Micros>;
  eventTime(id: number): Promise<Micros | null>;

  /** By last activity, newest first, nulls last, then by slug; strictly behind `after`. */
  projects(projects: Projects, page: { limit: number; after?: Pick<ProjectRow, "lastActivity" | "slug"> }): Promise<ProjectRow[]>;
  project(projects: Projects, slug: string): Promise<ProjectRow | null>;
  /** Slugs of the linked projects among these repositories, by repository in lower case. */
  projectsOfRepos(repos: string[]): Promise<Map<string, string>>;

  /** Not superseded and not retired, newest first. */
  currentDecisions(project: string, limit: number): Promise<DecisionRow[]>;
  /** The current one of the project that says exactly this; notes of reviews are none. */
  decisionThatSays(project: string, text: string): Promise<DecisionRow | null>;
  /** Newest first. */
  rejections(project: string, limit: number): Promise<RejectionRow[]>;
  /** Current ones of the project and those for all, by key; the project's own first. */
  preferences(project: string | null): Promise<PreferenceRow[]>;
  models(): Promise<ModelRow[]>;
  /** Sections of a model, by source, in its order. */
  guidance(model: string, limit: number): Promise<GuidanceRow[]>;
  /** Those that are most like the query, as the database sees it. */
  search(projects: Projects, kind: MemoryKind, query: SearchQuery): Promise<FoundRow[]>;
  /** How many rows each of them finds, of all kinds and projects; each kind is counted up to `max`. */
  countMatches(matches: Match[], max: number): Promise<number[]>;
  /** Words that share runs of characters with one, those that share most first. */
  similarWords(grams: string[], limit: number): Promise<string[]>;
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
  upload(id: string): Promise<UploadRow | null>;
  /** Which of these ids have bytes that a row answers for, in the private store (`key`) or in the public one. */
  keptAssets(ids: string[], where: "key" | "public_url"): Promise<Set<string>>;
  /** Assets whose time is over and whose bytes are still there. */
  expiredAssets(now: Micros, limit: number): Promise<AssetRow[]>;
  /** Reservations that ended before then. */
  expiredUploads(before: Micros, limit: number): Promise<UploadRow[]>;
  /** Due at `now`, oldest first. */
  dueOutbox(now: Micros, limit: number): Promise<OutboxRow[]>;

  /** What the service keeps of itself under this name. */
  setting(name: string): Promise<string | null>;
  /** When the database was made. */
  birth(): Promise<Micros>;
  token(hash: string): Promise<TokenRow | null>;
  tokens(): Promise<TokenRow[]>;
}

export interface Writes extends Reads {
  /**
   * The one way into the feed. Each event gets the next free microsecond: of the clock and never earlier than the newest
   * event, or, where it has a `ts` of the past, of that. Keys that are there already add nothing. Counters, issues and
   * usage of the projects move with it.
   * @returns the rows added, in order, and the number of duplicates
   */
  append(events: Appendable[]): Promise<{ added: EventRow[]; duplicates: number }>;
  /** Links a project, or changes what is said of a linked one. False where another project has the repository. */
  linkProject(link: ProjectLink, at: Micros): Promise<"linked" | "changed" | "repo taken">;
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
  addUpload(upload: UploadRow): Promise<void>;
  removeUpload(id: string): Promise<void>;
  /** False where the id is taken: somebody was first. */
  addAsset(asset: AssetRow): Promise<boolean>;
  changeAsset(id: string, change: AssetChange): Promise<void>;
  addOutbox(row: Omit<OutboxRow, "id" | "attempts">): Promise<void>;
  /** The oldest one due, counted as an attempt and hidden from everybody else until then; null where none is due. */
  claimOutbox(now: Micros, until: Micros): Promise<OutboxRow | null>;
  /** Tries again at `due_at`. */
  delayOutbox(id: number, due_at: Micros): Promise<void>;
  removeOutbox(id: number): Promise<void>;

  /** Keeps the value, unless there is one. @returns the one that is kept */
  keepSetting(name: string, value: string): Promise<string>;
  /** False where the name was ever used. */
  addToken(token: Omit<TokenRow, "revoked_at">): Promise<boolean>;
  /** False where no such token is valid. */
  revokeToken(name: string, at: Micros): Promise<boolean>;
}

export interface Data extends Reads {
  /**
   * Runs `work` in one transaction under the lock that every writer takes, here and in other processes: all of it is
   * kept, or, when it throws, nothing. Its reads see what it wrote. It must not wait for anything but the database.
   */
  atomically<T>(work: (writes: Writes) => Promise<T>): Promise<T>;
  /** Calls back after appends: of this process at once, of others by notification or at most `pollMs` late. */
  onAppend(wake: () => void): () => void;
  close(): Promise<void>;
}
