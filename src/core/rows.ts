/**
 * The rows that cross the data port: the API's own shapes, with timestamps in microseconds (`Micros`) and
 * with the columns that the API never returns.
 */

import type { Project } from "../feed/projects/schema.ts";
import type { ImportedEvent } from "../feed/schema.ts";
import type { UsageSums } from "../feed/usage/schema.ts";
import type { Asset, AssetKind, AssetStatus } from "../library/assets/schema.ts";
import type { Repeats } from "../library/repeats/schema.ts";
import type { Decision, MemoryKind, Model } from "../memory/schema.ts";
import type { Via } from "./auth/caller.ts";
import type { Role } from "./auth/roles.ts";
import type { Scope } from "./auth/scopes.ts";
import type { RepositoryPlace } from "./forges/schema.ts";
import type { Micros } from "./lib/time.ts";

/** The slugs a caller may read; null allows all. */
export type Projects = readonly string[] | null;

/** An event rendered for the feed: its position, and its JSON text as the API returns it. */
export interface RenderedEvent {
  id: number;
  ts: Micros;
  wire: string;
}

/** An event to append. */
export type Appendable = Omit<ImportedEvent, "ts" | "parent_run_id" | "branch"> & {
  /** The sender's raw data, such as a webhook payload. Stored, never returned. */
  payload?: unknown;
  /** The scope in which `dedupe_key` is unique; absent: the whole feed. */
  key_scope?: string;
  /** The unsigned id of a webhook delivery: a second deduplication key beside `dedupe_key`. */
  delivery_id?: string;
  /** A time in the past; only imports set it. */
  ts?: Micros;
};

/** A decision with its author. */
export type DecisionRow = Omit<Decision, "valid_from"> & { actor: string; valid_from: Micros };
export type DecisionHistoryRow = DecisionRow & { valid_until: Micros | null; supersedes: number | null };
export type NewDecision = Omit<DecisionRow, "id" | "run_id"> & { supersedes?: number; run_id?: string };

/** The current value of a key; `project` is null for a global preference. */
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

/** The note of an approving review. */
export interface NewNote {
  project: string;
  asset: string;
  title: string;
  text: string;
  actor: string;
  valid_from: Micros;
}

/** A section of a vendor's guidance: the headings above it, and its text. */
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

/** A search expression: a term, a prefix, or a conjunction or disjunction of expressions. */
export type Match = { term: string; prefix?: true } | { all: Match[] } | { any: Match[] };

export interface SearchQuery {
  match: Match;
  /** Rows of this project and global ones. */
  project?: string;
  model?: string;
  /** Rows that were current at this time; absent: that are current now. */
  asOf?: Micros;
  /** Decisions only: true selects notes of rejections, false excludes them. */
  reviews?: boolean;
  /** "newest of few" returns the same as "newest", and says that few rows have the match. */
  order: "likeness" | "newest" | "newest of few";
  /** The part of `match` used for ranking, when its other terms are very frequent; absent: all of it. */
  rank?: Match;
  limit: number;
}

/** A search result of any kind. */
export interface SearchHit {
  kind: MemoryKind;
  id: number;
  project: string | null;
  /** The heading: a key, a path of headings, or a title. */
  head: string;
  /** For a rejection, further text of its asset: description, tags, issue. */
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
  branch_pattern: string | null;
};

/** The repository linked to a project. */
export interface LinkedRepository extends RepositoryPlace {
  slug: string;
  /** The forge's id of the repository; null until a webhook reports it. */
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
  /** Rounded to a quarter of an hour. */
  last_used_at: Micros | null;
  /** The secret replaced by a rotation, valid until `previous_until`. */
  previous_hash: string | null;
  previous_until: Micros | null;
  /** What its reviews count for; null: for the role of its scopes. */
  review_role: string | null;
  /** The role that it was given; null if it was created with scopes. */
  role: Role | null;
  /** When a hook or an MCP session of an agent first used it. */
  agent_at: Micros | null;
}
export type NewToken = Pick<TokenRow, "name" | "hash" | "scopes" | "projects" | "created_at" | "expires_at"> &
  Partial<Pick<TokenRow, "review_role" | "role">>;

/**
 * One request that wrote, or the refused requests of one client in one minute. Never the content of a
 * request.
 */
export interface AuditRow {
  id: number;
  at: Micros;
  /** A token name, a local user, or `bot:svc` for the service itself; null for an unauthenticated request. */
  who: string | null;
  via: Via;
  /** The name of the operation, tool, or command. */
  what: string;
  project: string | null;
  /** Id or name of the object acted on. */
  target: string | null;
  /** 200, or the status of the problem. */
  status: number;
  /** Client IP address of a refused request without a known user. */
  address: string | null;
  request: string | null;
  count: number;
}
export type NewAudit = Omit<AuditRow, "id" | "count"> & { count?: number; slot?: string };

/** What the API renders: times, and signed URLs. */
type Rendered = "created_at" | "reviewed_at" | "expires_at" | "url" | "thumb_url" | "bundle_url";

/** An asset as stored. `root_id` is the id of its first version. */
export type AssetRow = Omit<Asset, Rendered | "project" | "run_id" | "set" | "repeats"> & {
  project: string;
  run_id: string | null;
  /** The name of its variant set. */
  set: string | null;
  repeats: Repeats | null;
  /** The voter that uploaded it (see `voterOf`); null in rows older than this column. */
  uploader: string | null;
  created_at: Micros;
  reviewed_at: Micros | null;
  expires_at: Micros | null;
  root_id: string;
  /** The key of the file in the private store; null once the file is deleted. */
  key: string | null;
  has_thumb: boolean;
  /** For kind html: the path of the entry page within the bundle. */
  bundle_index: string | null;
};

/** The columns that a review, a new version, publishing, or a cleanup may change. */
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
 * An asset rendered for the list: its position, the columns that signed URLs are made of, and its JSON text
 * without those URLs.
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
  file_sha256?: string;
  set?: string;
}

/** A page of the asset list. */
export interface AssetPage extends AssetFilter {
  limit: number;
  order?: "newest" | "oldest";
  /** The position of the last asset of the page before: a keyset page follows it. */
  after?: Pick<AssetRow, "status" | "created_at" | "id">;
}

/** A reserved upload, until it is finalized or expires. */
export interface UploadRow {
  id: string;
  project: string;
  key: string;
  content_type: string;
  /** In bytes; null before the file is stored at `key`. In rows of earlier versions, at its pending key. */
  size: number | null;
  sha256: string | null;
  expires_at: Micros;
  /** The size that a resumable upload, or one in parts, announced; null before it has begun. */
  length: number | null;
  /** Id of the multipart upload in the bucket, for an upload in parts. */
  multipart_id: string | null;
  /** The file is at `key`, with this size and hash: only the asset's row is missing. */
  is_final: boolean;
  /** Name of the token that reserved it; null in rows older than this column. */
  token: string | null;
}

/** A received piece of a resumable upload, in bytes `position` to `position + size`. */
export interface UploadSegment {
  position: number;
  size: number;
  /** The last part of its storage key. */
  name: string;
  sha256: string;
}

/** A current rejection note with its asset. */
export type RejectionRow = DecisionRow & {
  asset: Pick<AssetRow, "id" | "title" | "version" | "status" | "issue" | "pr"> | null;
};
/** Totals of one project, UTC day, lane, and model; "" for events without a lane or model. */
export interface UsageRow extends UsageSums {
  project: string;
  day: string;
  lane: string;
  model: string;
}

/** The requests of one client in its current rate-limit window. */
export interface ClientWindow {
  used: number;
  endsAt: Micros;
}
