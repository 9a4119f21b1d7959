/**
 * Rows as the rules know them: the wire's own shapes, with instants in microseconds and what is never shown.
 */
import type { Asset, AssetKind, AssetStatus } from "./assets/schema.ts";
import type { Scope } from "./auth/scopes.ts";
import type { ImportedEvent } from "./feed/schema.ts";
import type { Micros } from "./lib/time.ts";
import type { Decision, MemoryKind, Model } from "./memory/schema.ts";
import type { Project } from "./projects/schema.ts";

export type Projects = readonly string[] | null;

/** An event as the feed needs it: where it stands, and its text as it goes out. */
export interface RenderedEvent {
  id: number;
  ts: Micros;
  wire: string;
}

/** Neighbouring events, rendered into one text. */
export interface RenderedPage {
  /** Joined by commas. */
  wires: string;
  count: number;
  /** Of the last one; null on an empty page. */
  oldest: Micros | null;
  /** Whether events follow behind the last one. */
  more: boolean;
}

export type Appendable = Omit<ImportedEvent, "ts"> & {
  /** What the sender said beyond the event itself. Kept, never shown. */
  payload?: unknown;
  /** What `dedupe_key` is unique within; absent: the whole feed. */
  key_scope?: string;
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
export type GuidanceRow = GuidanceSection & {
  id: number;
  model: string;
  source: string;
  refreshed_at: Micros;
};

/** What an index is asked for: a term, what begins with it, all of several, any of several. */
export type Match = { term: string; prefix?: true } | { all: Match[] } | { any: Match[] };

export interface SearchQuery {
  match: Match;
  /** Of this project and of none. */
  project?: string;
  model?: string;
  /** What held then; absent: what holds. */
  asOf?: Micros;
  /** Of decisions: only notes of rejections, or none of them. */
  reviews?: boolean;
  order: "likeness" | "newest";
  /**
   * What of the match likeness is judged by, where its other words are in very many texts; absent: all of it.
   */
  rank?: Match;
  limit: number;
}

/** A row that a search found, of whatever kind. */
export interface SearchHit {
  kind: MemoryKind;
  id: number;
  project: string | null;
  /** Its heading: a key, a path of headings, a title. */
  head: string;
  /** Of a rejection what else its asset says of itself: description, tags, issue. */
  about: string;
  text: string;
  source: string;
  source_ref: string | null;
  actor: string;
  valid_from: Micros;
  valid_until: Micros | null;
}

export type ProjectRow = Omit<Project, "lastActivity"> & {
  lastActivity: Micros | null;
  check_cmd: string | null;
};

/** The repository of a project. */
export interface LinkedRepository {
  slug: string;
  repo: string;
  /** At GitHub; null until a webhook names it. */
  repo_id: number | null;
}

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
  /** To the quarter of an hour. */
  last_used_at: Micros | null;
  /** What a rotation replaced: it holds until then. */
  previous_hash: string | null;
  previous_until: Micros | null;
}
export type NewToken = Pick<TokenRow, "name" | "hash" | "scopes" | "projects" | "created_at" | "expires_at">;

/** A browser that is signed in. */
export interface SessionRow {
  /** Of the id in its cookie. */
  hash: string;
  /** Who acts in it, such as `human:ana`. */
  actor: string;
  /** Hash of the token that it was opened with, and ends with; null where it was opened without one. */
  token: string | null;
  opened_at: Micros;
  expires_at: Micros;
}

/**
 * The way somebody came in: a token, a session of the pages, an agent's tools, this machine, a signed
 * address, a delivery.
 */
export type Via = "api" | "session" | "mcp" | "stdio" | "cli" | "address" | "webhook" | "service";

/**
 * A request that wrote, or those that were refused to one client in one minute. Never what was said in it.
 */
export interface AuditRow {
  id: number;
  at: Micros;
  /**
   * Name of the token, the user of this machine, or `bot:svc` for what the service does by itself; null for
   * somebody unknown.
   */
  who: string | null;
  via: Via;
  /** The operation, the tool or the command. */
  what: string;
  project: string | null;
  /** Id or name of the thing. */
  target: string | null;
  /** 200, or that of the problem. */
  status: number;
  /** Of whom was refused, where nothing else is known of him. */
  address: string | null;
  request: string | null;
  count: number;
}
export type NewAudit = Omit<AuditRow, "id" | "count"> & { count?: number; slot?: string };

/** An asset as its row holds it. `root_id` names its chain. */
export type AssetRow = Omit<
  Asset,
  "created_at" | "reviewed_at" | "expires_at" | "project" | "url" | "thumb_url" | "bundle_url"
> & {
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
    | "status"
    | "reviewed_by"
    | "reviewed_at"
    | "review_note"
    | "expires_at"
    | "public_url"
    | "key"
    | "has_thumb"
    | "bundle_index"
  >
>;

/**
 * An asset as the list needs it: where it stands, what its addresses are made of, and its text as it goes out
 * without them.
 */
export type RenderedAsset = Pick<
  AssetRow,
  "id" | "status" | "created_at" | "key" | "has_thumb" | "bundle_index"
> & { wire: string };

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
  /** Of the bytes that came in through the service itself; null as long as none did. */
  size: number | null;
  sha256: string | null;
  expires_at: Micros;
}

/** The note of a rejection that holds, and what it was said of. */
export type RejectionRow = DecisionRow & {
  asset: Pick<AssetRow, "id" | "title" | "version" | "issue" | "pr"> | null;
};

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

/** The requests of a client in the time that is running. */
export interface ClientWindow {
  used: number;
  endsAt: Micros;
}
