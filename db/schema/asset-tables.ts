/** The tables of the asset library and of uploads into it. */

import type { UploadFormat } from "../../src/files/probe/port.ts";
import type { AssetKind, AssetStatus } from "../../src/library/assets/schema.ts";
import type { RemovalKind } from "../../src/library/removals/rows.ts";
import type { Repeats } from "../../src/library/repeats/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineAssetTables = ({ table, int, text, flag, json }: ColumnKit) => ({
  /** A row exists only when its file does; `root_id` is the id of version 1. */
  assets: table("assets", () => ({
    id: text().primaryKey(),
    project: text().notNull(),
    /** Negative for the task of a tracker, whose key is `task`; see src/core/task-key.ts. */
    issue: int(),
    task: text(),
    pr: int(),
    title: text().notNull(),
    description: text(),
    kind: text().$type<AssetKind>().notNull(),
    mime: text().notNull(),
    size: int().notNull(),
    sha256: text().notNull(),
    width: int(),
    height: int(),
    duration_ms: int(),
    version: int().notNull(),
    root_id: text().notNull(),
    parent_id: text(),
    status: text().$type<AssetStatus>().notNull(),
    /**
     * 1 while pending, else 0: the list is sorted by (waiting, created_at, id), descending, and every index
     * has that order.
     */
    waiting: int().notNull(),
    key: text(),
    /** The exact name of the uploaded file; null in rows older than this column. */
    filename: text(),
    has_thumb: flag().notNull(),
    /** The format of the thumbnail; null in rows older than this column, of which it is WebP. */
    thumb_format: text().$type<UploadFormat>(),
    bundle_index: text(),
    created_by: text().notNull(),
    /** The voter that uploaded it; null in rows older than this column. */
    uploader: text(),
    /** The variant set, by its name within the project. */
    set: text(),
    created_at: int().notNull(),
    reviewed_by: text(),
    reviewed_at: int(),
    review_note: text(),
    public_url: text(),
    expires_at: int(),
    tags: json().$type<string[]>().notNull(),
    run_id: text(),
    repeats: json().$type<Repeats>(),
    /** The asset as the API returns it, without signed URLs; null in rows older than this column. */
    wire: text(),
  })),
  /** How files were made: a row for each asset of which something is known. */
  provenance: table("provenance", () => ({
    asset: text().primaryKey(),
    project: text().notNull(),
    /** JSON text: a list of `Provenance`. */
    stated: text().notNull(),
  })),
  /** What was taken back, by kind and by what it is about. A restore keeps these rows. */
  removals: table("removals", () => ({
    kind: text().$type<RemovalKind>().notNull(),
    subject: text().notNull(),
    project: text(),
    removed_by: text().notNull(),
    removed_at: int().notNull(),
    reason: text().notNull(),
    /** When the files were gone from the stores; null while they are being deleted. */
    finished_at: int(),
    /** JSON text of a `RemovalDetail`; null for assets. */
    detail: text(),
  })),
  /** What changed against the version that was approved last. */
  comparisons: table("comparisons", () => ({
    asset: text().primaryKey(),
    project: text().notNull(),
    /** The approved asset; null if there is none. */
    base: text(),
    /** JSON text of a `PictureChange`; null if it is not known. */
    change: text(),
    /** The mean colors of its thumbnail; only without an approved asset. */
    signature: text(),
    /** 1 until a background job has compared them. */
    waiting: int().notNull(),
    created_at: int().notNull(),
    /** How often it failed in a row. */
    failures: int().notNull().default(0),
  })),
  /** What files look like: which rejected ones a new file is compared with. */
  fingerprints: table("fingerprints", () => ({
    asset: text().primaryKey(),
    project: text().notNull(),
    root_id: text().notNull(),
    title: text().notNull(),
    issue: int(),
    pr: int(),
    picture: text(),
    words: text(),
    /** Null unless its newest review rejected it. */
    rejected_at: int(),
    /** 1 until a background job has read the file. */
    waiting: int().notNull(),
  })),
  /** The files of bundles, as their reviewed zips contain them. */
  bundle_files: table("bundle_files", () => ({
    asset: text().notNull(),
    path: text().notNull(),
    size: int().notNull(),
    sha256: text().notNull(),
  })),
  /** Uploads that are not finished. */
  uploads: table("uploads", () => ({
    id: text().primaryKey(),
    project: text().notNull(),
    key: text().notNull(),
    filename: text(),
    content_type: text().notNull(),
    size: int(),
    sha256: text(),
    expires_at: int().notNull(),
    length: int(),
    token: text(),
    multipart_id: text(),
    is_final: flag().notNull().default(false),
  })),
  upload_segments: table("upload_segments", () => ({
    upload_id: text().notNull(),
    position: int().notNull(),
    size: int().notNull(),
    name: text().notNull(),
    sha256: text().notNull(),
  })),
});
