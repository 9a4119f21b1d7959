/** The part of the data port that holds files of assets, reserved uploads, and pieces of resumable ones. */
import type { Micros } from "../lib/time.ts";
import type { AssetRow, UploadRow, UploadSegment } from "../rows.ts";
import type { ContentDigest } from "../stores/store.ts";

/** The columns that a request for the file of an asset needs. */
export type AssetFile = Pick<
  AssetRow,
  "project" | "key" | "mime" | "kind" | "size" | "sha256" | "has_thumb" | "bundle_index" | "public_url"
>;

export interface UploadReads {
  /** What a request for its file needs; null for an unknown id. */
  assetFile(id: string): Promise<AssetFile | null>;
  upload(id: string): Promise<UploadRow | null>;
  /** The received pieces of a resumable upload, in order. */
  uploadSegments(id: string): Promise<UploadSegment[]>;
  /**
   * Resumable uploads that have begun and expire after `now`: how many of this token, and the bytes that all
   * tokens' uploads still lack.
   */
  openUploads(token: string | null, now: Micros): Promise<{ count: number; missingBytes: number }>;
  /** Reserved uploads that expired before this time. */
  expiredUploads(before: Micros, limit: number): Promise<UploadRow[]>;
}

export interface UploadWrites {
  addUpload(
    upload: Omit<UploadRow, "size" | "sha256" | "length" | "multipart_id" | "is_final">,
  ): Promise<void>;
  /** Records the announced size of a resumable upload, or of one in parts. */
  startUpload(
    id: string,
    begun: { length: number } & Partial<Pick<UploadRow, "multipart_id">>,
  ): Promise<void>;
  /**
   * Adds received pieces. False when another request has added a piece at one of these positions, or when
   * the upload is gone.
   */
  addUploadSegments(id: string, segments: UploadSegment[]): Promise<boolean>;
  /** Records that the file is stored at its final key, with its size and hash. */
  finishUpload(id: string, file: ContentDigest): Promise<void>;
  /** Also removes its segments. */
  removeUpload(id: string): Promise<void>;
}
