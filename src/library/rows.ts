/** The rows of assets and uploads, with times in microseconds and the columns that the API never returns. */

import type { Micros } from "../core/lib/time.ts";
import type { DecisionRow } from "../memory/rows.ts";
import type { Asset, AssetKind, AssetStatus } from "./assets/schema.ts";
import type { Repeats } from "./repeats/schema.ts";

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
