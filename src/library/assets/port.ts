/**
 * The part of the data port that holds files of assets, manifests of bundles, reserved uploads, and pieces of
 * resumable ones.
 */
import type { Micros } from "../../core/lib/time.ts";
import type { ContentDigest } from "../../files/stores/store.ts";
import type { AssetRow, UploadRow, UploadSegment } from "../rows.ts";

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

export interface BundleReads {
  /** The manifest of a bundle; empty for one that was uploaded before there were manifests. */
  bundleFiles(asset: string): Promise<ManifestFile[]>;
  /** One file of the manifest; null if it has no such file. */
  bundleFile(asset: string, path: string): Promise<ManifestFile | null>;
  /** Bundles with a zip but without a manifest, by id after this one. */
  bundlesWithoutManifest(after: string, limit: number): Promise<BundleAsset[]>;
}

export interface BundleWrites {
  /** Replaces the manifest of a bundle; without files, deletes it. */
  saveBundleFiles(asset: string, files: readonly ManifestFile[]): Promise<void>;
}
