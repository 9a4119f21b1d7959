/** The reads and writes of assets and all that belongs to them. Part of the data port. */

import type { Micros } from "../core/lib/time.ts";
import type { Projects } from "../core/rows.ts";
import type { MemoryData, MemoryReads, MemoryWrites } from "../memory/port.ts";
import type { AnnotationReads, AnnotationWrites } from "./annotations/port.ts";
import type { BundleReads, BundleWrites, UploadReads, UploadWrites } from "./assets/port.ts";
import type { ChecklistReads, ChecklistWrites } from "./checklists/port.ts";
import type { OutboxReads, OutboxWrites } from "./outbox/port.ts";
import type { ProvenanceReads, ProvenanceWrites } from "./provenance/port.ts";
import type { RepeatReads, RepeatWrites } from "./repeats/port.ts";
import type { ReviewQueueReads } from "./review-queue/port.ts";
import type { ReviewRequestReads, ReviewRequestWrites } from "./review-requests/port.ts";
import type { AssetChange, AssetPage, AssetRow, RejectionRow, RenderedAsset } from "./rows.ts";
import type { ShareReads, ShareWrites } from "./shares/port.ts";
import type { VariantSetReads } from "./variant-sets/port.ts";
import type { VerdictReads, VerdictWrites } from "./verdicts/port.ts";

export interface LibraryReads
  extends MemoryReads,
    AnnotationReads,
    UploadReads,
    BundleReads,
    OutboxReads,
    ProvenanceReads,
    ReviewQueueReads,
    RepeatReads,
    ReviewRequestReads,
    ShareReads,
    VariantSetReads,
    VerdictReads,
    ChecklistReads {
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
  /** Current rejection notes of assets, newest first; with `issue`, only for assets of that issue. */
  rejections(project: string, issue: number | undefined, limit: number): Promise<RejectionRow[]>;
}

export interface LibraryWrites
  extends LibraryReads,
    MemoryWrites,
    AnnotationWrites,
    UploadWrites,
    BundleWrites,
    OutboxWrites,
    ProvenanceWrites,
    RepeatWrites,
    ReviewRequestWrites,
    ShareWrites,
    VerdictWrites,
    ChecklistWrites {
  /** False when the id exists: a concurrent request has finalized the upload. */
  addAsset(asset: AssetRow): Promise<boolean>;
  /** Updates an asset; does nothing when it does not exist. */
  changeAsset(id: string, change: AssetChange): Promise<void>;
}

export interface LibraryData extends LibraryReads, MemoryData {
  atomically<T>(work: (writes: LibraryWrites) => Promise<T>): Promise<T>;
}
