/** The rows of assets and uploads, with times in microseconds and the columns that the API never returns. */

import type { RepositoryPlace } from "../core/forges/schema.ts";
import type { Micros } from "../core/lib/time.ts";
import type { ThumbnailColumns } from "../files/probe/port.ts";
import type { DecisionRow } from "../memory/rows.ts";
import type { AnnotationRow } from "./annotations/rows.ts";
import type { AssetsQuery } from "./assets/requests.ts";
import type { Asset, AssetKind } from "./assets/schema.ts";
import type { Answers, ChecklistItem } from "./checklists/schema.ts";
import type { RoleCount, Verdict } from "./verdicts/schema.ts";

/** What the API renders: times, and URLs. */
type Rendered =
  | "created_at"
  | "reviewed_at"
  | "expires_at"
  | "url"
  | "thumb_url"
  | "bundle_url"
  | "review_url"
  | "limits";

/** An asset as stored. `root_id` is the id of its first version. */
export type AssetRow = Required<Omit<Asset, Rendered | "project">> & StoredColumns;

interface StoredColumns extends ThumbnailColumns {
  project: string;
  /** The voter that uploaded it (see `voterOf`); null in rows older than this column. */
  uploader: string | null;
  created_at: Micros;
  reviewed_at: Micros | null;
  expires_at: Micros | null;
  root_id: string;
  /** The key of the file in the private store; null once the file is deleted. */
  key: string | null;
  /** The exact name of the uploaded file; null in rows older than this column. */
  filename: string | null;
  /** For kind html: the path of the entry page within the bundle. */
  bundle_index: string | null;
}

/** The columns that the URLs of its files depend on. */
export type UrlColumns = Pick<AssetRow, "key" | "bundle_index" | keyof ThumbnailColumns>;

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
export type RenderedAsset = Pick<AssetRow, "id" | "status" | "created_at"> & UrlColumns & { wire: string };

/** What a search finds an asset by, which never changes, but for a `key` that becomes null. Tags are JSON. */
export type SearchedAsset = Record<"id" | "project" | "title" | "tags", string> &
  Pick<AssetRow, "description" | "set" | "key">;

export type AssetFilter = Omit<AssetsQuery, "order" | "limit" | "cursor">;

/** A page of the asset list. */
export interface AssetPage extends AssetFilter {
  limit: number;
  order?: AssetsQuery["order"];
  /** The position of the last asset of the page before: a keyset page follows it. */
  after?: Pick<AssetRow, "status" | "created_at" | "id">;
}

/** A reserved upload, until it is finalized or expires. */
export interface UploadRow {
  id: string;
  project: string;
  key: string;
  /** The exact name; null in rows older than this column. */
  filename: string | null;
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
export type RejectionRow = Pick<DecisionRow, "id" | "valid_from" | "actor" | "text" | "source_ref"> & {
  asset: Pick<AssetRow, "id" | "title" | "version" | "status" | "issue" | "task" | "pr"> | null;
};

/** The version, or all versions, whose annotations are meant. */
export type AnnotationScope = Pick<AnnotationRow, "asset_id"> | Pick<AnnotationRow, "chain">;

/** An annotation with its asset. */
export type UrgentAnnotation = AnnotationRow & { urgent_at: Micros } & {
  asset: Pick<AssetRow, "id" | "title" | "version" | "status" | "issue" | "task" | "pr">;
};

/** The columns that a request for the file of an asset needs. */
export type AssetFile = Omit<BundleAsset, "id"> &
  Pick<AssetRow, "filename" | "mime" | "kind" | "bundle_index" | "public_url" | keyof ThumbnailColumns>;

/** A file of a bundle, as the reviewed zip contains it. */
export interface ManifestFile {
  /** Below the bundle's root. */
  path: string;
  /** In bytes. */
  size: number;
  sha256: string;
}

/** The columns of a bundle that its files are restored from. */
export type BundleAsset = Pick<AssetRow, "id" | "project" | "key" | "sha256" | "size">;

/** A version of a checklist; without items it was removed. */
export interface ChecklistRow {
  project: string;
  kind: AssetKind;
  version: number;
  items: ChecklistItem[];
  changed_by: string;
  changed_at: Micros;
}

/** A comment to post, at least once; the marker makes a repetition harmless. */
export interface OutboxRow extends RepositoryPlace {
  id: number;
  /** Identifies the comment on the forge. */
  marker: string;
  number: number;
  /** The number is that of a pull request. */
  is_pull: boolean;
  body: string;
  attempts: number;
  due_at: Micros;
  created_at: Micros;
}

/** The newest review of a file. */
export interface FileReview
  extends Pick<AssetRow, "id" | "root_id" | "version" | "reviewed_by" | "review_note"> {
  isRejection: boolean;
}

/** A project that refuses files that it has rejected. */
export interface RepeatPolicyRow {
  project: string;
  changed_by: string;
  changed_at: Micros;
}

/** Which pending assets a read leaves out. */
export interface PendingFilter {
  /** Ids of assets, such as those that the caller has approved. */
  without?: readonly string[];
  /** Those with a review request that asks neither one of these reviewers nor everyone. */
  askedOf?: readonly string[];
}

export interface PendingQuery extends PendingFilter {
  projects: number;
  /** Assets of a project, or variants of a set, are counted up to this. */
  count: number;
  /** Assets of a project, or variants of a set, that are listed. */
  listed: number;
}

export interface PendingAsset {
  id: string;
  created_at: Micros;
}

/** The pending assets of a project that belong to no set. */
export interface PendingAssetsRow {
  project: string;
  count: number;
  /** Without those that repeat a rejected file. */
  listed: PendingAsset[];
  /** Those that repeat a rejected file, as many as are listed of the others. */
  listedRepeats: PendingAsset[];
  /** How many do, counted up to the same number. */
  repeats: number;
  /** When the oldest one was uploaded. */
  since: Micros;
}

/** A set with pending variants. */
export interface PendingSetRow {
  project: string;
  set: string;
  count: number;
  /** The oldest pending variants. */
  listed: [PendingAsset, ...PendingAsset[]];
  /** When the newest one was uploaded. */
  newest: Micros;
}

/** What lists and messages say of an asset. */
export type AssetDetails = Pick<AssetRow, "id" | "project" | "set" | "title" | "version" | "kind"> &
  Pick<AssetRow, "status" | "sha256" | "created_by" | "created_at" | "uploader" | "issue" | "task" | "pr"> &
  UrlColumns;

/** An open review request: it is deleted when its asset is reviewed or replaced. */
export interface ReviewRequestRow {
  /** The id of the asset. */
  asset: string;
  project: string;
  /** Hash of the file that the reviewers are asked about. */
  sha256: string;
  asked_by: string;
  /** Names of tokens and roles; empty: everyone who can review. */
  reviewers: string[];
  question: string | null;
  due_at: Micros | null;
  created_at: Micros;
  /** When the next reminder is due; null when there are no more. */
  remind_at: Micros | null;
  /** How many reminders there have been. */
  reminders: number;
  reminded_at: Micros | null;
}

/** A request with its asset. */
export type ListedReviewRequest = ReviewRequestRow & Pick<AssetRow, "title" | "version" | "set">;

/** The review of an asset. */
export type ReviewState = Pick<
  AssetRow,
  "id" | "project" | "kind" | "status" | "sha256" | "reviewed_by" | "reviewed_at"
> & {
  note: string | null;
  /** The current decision that its rejection became. */
  decision_id: number | null;
};

/** Newest first, after this row of the previous page. */
export type Page<After> = { limit: number; after?: After | undefined };

export interface SetStatus {
  set: string;
  status: AssetRow["status"];
  count: number;
  /** When the last of them was reviewed. */
  reviewed_at: Micros | null;
}

/** The last verdict of one voter on one version. */
export interface VerdictRow extends Pick<Verdict, "reviewer" | "role" | "decision" | "note"> {
  asset: string;
  /** Who it counts for, whatever name the reviewer gave; see `voterOf`. */
  voter: string;
  /** The voter that vouches for a share link, else the voter itself: one approval counts for each. */
  principal: string;
  project: string;
  /** Hash of the file that was reviewed. */
  sha256: string;
  checklist: Answers | null;
  at: Micros;
}

export interface ReviewPolicyRow {
  project: string;
  kind: AssetKind;
  /** Never empty. */
  need: RoleCount[];
  changed_by: string;
  changed_at: Micros;
}

/** When an asset was reviewed last. */
export type ReviewTime = Pick<AssetRow, "id" | "set"> & { reviewed_at: Micros };
