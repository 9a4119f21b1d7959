/** The reads and writes of assets and all that belongs to them. Part of the data port. */

import type { Micros } from "../core/lib/time.ts";
import type { TransactionOptions } from "../core/port.ts";
import type { Projects } from "../core/rows.ts";
import type { Provenance } from "../files/provenance/schema.ts";
import type { ContentDigest } from "../files/stores/store.ts";
import type { MemoryData, MemoryReads, MemoryWrites } from "../memory/port.ts";
import type { DecisionHistoryRow, DecisionRow } from "../memory/rows.ts";
import type { AnnotationChange, AnnotationRow } from "./annotations/rows.ts";
import type { AssetKind } from "./assets/schema.ts";
import type { ComparedAsset, ComparisonFilter, ComparisonRow, MadeComparison } from "./comparisons/rows.ts";
import type { RemovalReads, RemovalWrites } from "./removals/port.ts";
import type { RepeatReads, RepeatWrites } from "./repeats/port.ts";
import type {
  AnnotationScope,
  AssetChange,
  AssetDetails,
  AssetFile,
  AssetPage,
  AssetRow,
  BundleAsset,
  ChecklistRow,
  ListedReviewRequest,
  ManifestFile,
  OutboxRow,
  Page,
  PendingAssetsRow,
  PendingQuery,
  PendingSetRow,
  RejectionRow,
  RenderedAsset,
  ReviewPolicyRow,
  ReviewRequestRow,
  ReviewState,
  ReviewTime,
  SearchedAsset,
  SetStatus,
  UploadRow,
  UploadSegment,
  UrgentAnnotation,
  VerdictRow,
} from "./rows.ts";
import type { ShareAttemptRow, ShareChange, ShareRow, ShareViewRow } from "./shares/rows.ts";

export interface LibraryReads extends MemoryReads, RemovalReads, RepeatReads {
  /** Null when the asset does not exist or the caller may not read it. */
  asset(projects: Projects, id: string): Promise<AssetRow | null>;
  /** All versions of an asset, oldest first. */
  versions(rootId: string): Promise<AssetRow[]>;
  /** Pending assets first, then newest first; with the order `oldest` the reverse. */
  assets(projects: Projects, page: AssetPage): Promise<RenderedAsset[]>;
  /** The ids of the first assets of that list, in its order, without those that are superseded. */
  newestAssetIds(page: { project?: string; limit: number }): Promise<string[]>;
  /** What a search finds these assets by, in any order. */
  searchedAssets(ids: readonly string[]): Promise<SearchedAsset[]>;
  /** The ids whose file should exist in the private store (`key`) or the public one (`public_url`). */
  assetsWithFile(ids: string[], where: "key" | "public_url"): Promise<Set<string>>;
  /** Assets that have expired and whose file has not been deleted yet. */
  expiredAssets(now: Micros, limit: number): Promise<AssetRow[]>;
  /** Current rejection notes of assets, newest first; with `issue`, only for assets of that issue. */
  rejections(project: string, issue: number | undefined, limit: number): Promise<RejectionRow[]>;

  annotation(projects: Projects, id: string): Promise<AnnotationRow | null>;
  /** The annotation with this number in a chain, not its replies. */
  annotationByNumber(chain: string, n: number): Promise<AnnotationRow | null>;
  /**
   * Annotations and replies by number, each thread from its start; drafts only of this reader.
   * @param page `after` is the position of the last row of the page before
   */
  annotations(
    scope: AnnotationScope,
    reader: string | null,
    page: { limit: number; after?: Pick<AnnotationRow, "n" | "id"> },
  ): Promise<AnnotationRow[]>;
  /** The open and addressed annotations of all versions, without replies: sorted by rank and number. */
  unsettledAnnotations(
    chain: string,
    page: { limit: number; after?: { rank: number; n: number } },
  ): Promise<AnnotationRow[]>;
  countUnsettled(chain: string): Promise<number>;
  /** The newest replies to these annotations, oldest first. */
  annotationReplies(parents: readonly string[], limit: number): Promise<AnnotationRow[]>;
  /** Reopened annotations that briefs of the project put first, the newest first. */
  urgentAnnotations(project: string, limit: number): Promise<UrgentAnnotation[]>;
  /**
   * The annotations in the chains of these assets that rejections carry no longer: they were confirmed,
   * withdrawn, or reopened, which puts them first. `of` is the asset that was asked for.
   */
  retiredAnnotations(assets: readonly string[], limit: number): Promise<(AnnotationRow & { of: string })[]>;

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

  /** The manifest of a bundle; empty for one that was uploaded before there were manifests. */
  bundleFiles(asset: string): Promise<ManifestFile[]>;
  /** One file of the manifest; null if it has no such file. */
  bundleFile(asset: string, path: string): Promise<ManifestFile | null>;
  /** Bundles with a zip but without a manifest, by id after this one. */
  bundlesWithoutManifest(after: string, limit: number): Promise<BundleAsset[]>;

  /** A version of the checklist of a project and kind, the newest by default; null if there is none. */
  checklist(project: string, kind: AssetKind, version?: number): Promise<ChecklistRow | null>;

  /** Of the deployment: queued comments, when the oldest was queued, unfinalized uploads. */
  backlog(now: Micros): Promise<{ outbox: number; oldest: Micros | null; uploads: number }>;
  /** Outbox rows that are due at `now`, oldest first. */
  dueOutbox(now: Micros, limit: number): Promise<OutboxRow[]>;

  /** How the file of an asset was made: as its upload says first, then as the file says. */
  provenance(asset: string): Promise<Provenance[]>;
  /** The same of several assets, by their ids; nothing is known of those that are missing. */
  provenanceOf(assets: readonly string[]): Promise<ReadonlyMap<string, Provenance[]>>;

  /** Pending assets with their comparisons, newest first. */
  pendingComparisons(projects: Projects, filter: ComparisonFilter, limit: number): Promise<ComparedAsset[]>;
  /** Assets to be compared, those that wait longest first. */
  dueComparisons(limit: number): Promise<AssetRow[]>;
  /**
   * The version before this one that was approved last; without one, the newest approved asset of its kind
   * with its title in the project.
   */
  approvedBefore(asset: AssetRow): Promise<AssetRow | null>;

  /** Projects without such assets are left out. */
  pendingAssets(
    projects: Projects,
    query: PendingQuery & { order: "oldest first" | "newest first" },
  ): Promise<PendingAssetsRow[]>;
  /** At most `sets` of each project, by their names. */
  pendingSets(projects: Projects, query: PendingQuery & { sets: number }): Promise<PendingSetRow[]>;
  /** What lists and messages say of these assets, in any order. */
  assetDetails(ids: readonly string[]): Promise<AssetDetails[]>;
  /** The assets with these ids, in any order. */
  assetsById(ids: readonly string[]): Promise<RenderedAsset[]>;

  /** The reviews of these assets, in any order, without those that the caller may not read. */
  reviewStates(projects: Projects, ids: readonly string[]): Promise<ReviewState[]>;
  /** Those of these assets, any number of them, that are not pending. */
  settledReviews(ids: readonly string[]): Promise<Pick<ReviewState, "id" | "status" | "reviewed_at">[]>;
  /** The open request of an asset; null when there is none. */
  reviewRequest(asset: string): Promise<ReviewRequestRow | null>;
  /**
   * Open requests for pending assets, the one due first at the front and those without a due time at the end.
   * @param of only those that ask one of these reviewers or everyone
   * @param dueBefore only those that are due before
   */
  reviewRequests(
    projects: Projects,
    query: { of?: readonly string[]; dueBefore?: Micros; limit: number },
  ): Promise<ListedReviewRequest[]>;
  /** Requests with a reminder that is due at `now`, oldest first. */
  dueReviewReminders(now: Micros, limit: number): Promise<ReviewRequestRow[]>;

  share(id: string): Promise<ShareRow | null>;
  shareWithHash(hash: string): Promise<ShareRow | null>;
  /** Newest first. @param of the id of the first version of an asset */
  shares(
    projects: Projects,
    query: { project?: string | undefined; of?: string | undefined } & Page<
      Pick<ShareRow, "created_at" | "id">
    >,
  ): Promise<ShareRow[]>;
  shareViews(share: string, page: Page<Pick<ShareViewRow, "at" | "slot">>): Promise<ShareViewRow[]>;
  /** The attempts on a share after `since`, oldest first, at most `limit`. */
  shareAttempts(share: string, since: Micros, limit: number): Promise<ShareAttemptRow[]>;

  /** How many variants of these sets have which status, by their newest versions. */
  setStatuses(project: string, sets: readonly string[]): Promise<SetStatus[]>;
  /** The newest version of each variant, oldest variant first, at most `limit`. */
  variants(project: string, set: string, limit: number): Promise<AssetRow[]>;
  /** The current decision of a set; null if there is none. */
  decisionOfSet(project: string, set: string): Promise<Pick<DecisionRow, "id" | "text"> | null>;

  /** The verdicts on these versions, oldest first. */
  verdicts(assets: readonly string[]): Promise<VerdictRow[]>;
  /** The pending assets that a voter has approved, at most `limit`. */
  openApprovals(voter: string, limit: number): Promise<Pick<VerdictRow, "asset" | "project">[]>;
  /** The policies of these projects, or of all, sorted by project and kind. */
  reviewPolicies(projects: Projects, limit: number): Promise<ReviewPolicyRow[]>;
  reviewPolicy(project: string, kind: AssetKind): Promise<ReviewPolicyRow | null>;
  /**
   * The decisions that rejections of these assets became, current or not: those made at their last review,
   * and those with their later words.
   */
  rejectionDecisions(project: string, reviews: readonly ReviewTime[]): Promise<DecisionHistoryRow[]>;
}

export interface LibraryWrites extends LibraryReads, MemoryWrites, RemovalWrites, RepeatWrites {
  /** False when the id exists: a concurrent request has finalized the upload. */
  addAsset(asset: AssetRow): Promise<boolean>;
  /** Updates an asset; does nothing when it does not exist. */
  changeAsset(id: string, change: AssetChange): Promise<void>;

  addAnnotation(row: AnnotationRow): Promise<void>;
  changeAnnotation(row: AnnotationRow, change: AnnotationChange): Promise<void>;
  /** Only for drafts: what others have seen stays. */
  removeAnnotation(id: string): Promise<void>;
  /** How many annotations and replies a version has, and the highest number in its chain; 0 without any. */
  annotationCounts(version: Pick<AnnotationRow, "asset_id" | "chain">): Promise<{ count: number; n: number }>;
  /** Opens the drafts of this reader on a version. @returns how many */
  publishDrafts(assetId: string, reader: string, opened: { by: string; at: Micros }): Promise<number>;
  /** Ends that briefs put the reopened annotations of a chain first. */
  endUrgency(chain: string): Promise<void>;

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

  /** Replaces the manifest of a bundle; without files, deletes it. */
  saveBundleFiles(asset: string, files: readonly ManifestFile[]): Promise<void>;

  addChecklist(checklist: ChecklistRow): Promise<void>;

  addOutbox(row: Omit<OutboxRow, "id" | "attempts">): Promise<void>;
  /** Claims an attempt: counts it, and hides the row until `until`. False when another process was faster. */
  claimOutbox(row: Pick<OutboxRow, "id" | "due_at" | "attempts">, until: Micros): Promise<boolean>;
  delayOutbox(id: number, due_at: Micros): Promise<void>;
  removeOutbox(id: number): Promise<void>;

  addProvenance(asset: string, project: string, stated: Provenance[]): Promise<void>;
  removeProvenance(asset: string): Promise<void>;

  /** @param known its signature, if that is all there is to know: then no background job compares it */
  addComparison(
    asset: Pick<AssetRow, "id" | "project" | "created_at">,
    known: Pick<ComparisonRow, "signature"> | null,
  ): Promise<void>;
  saveComparison(asset: string, comparison: MadeComparison): Promise<void>;
  /** Has the pending assets with this title compared again. */
  renewComparisons(project: string, title: string): Promise<void>;
  /** Compares these again. */
  retryComparisons(assets: readonly string[]): Promise<void>;

  /** Adds the request of an asset, or replaces it. */
  saveReviewRequest(request: ReviewRequestRow): Promise<void>;
  /** Ends the request of an asset, if there is one. */
  removeReviewRequest(asset: string): Promise<void>;
  /** Counts a reminder, and sets when the next one is due. */
  recordReviewReminder(asset: string, at: Micros, next: Micros | null): Promise<void>;

  addShare(share: ShareRow): Promise<void>;
  /** How many links for named people a creator made after `since`. */
  countNamedShares(created_by: string, since: Micros): Promise<number>;
  changeShare(id: string, change: ShareChange): Promise<void>;
  /** False when it was revoked before. */
  revokeShare(id: string, at: Micros, by: string): Promise<boolean>;
  /** Adds an entry to the log, or counts it in the row with the same slot. */
  addShareView(view: Omit<ShareViewRow, "count">): Promise<void>;
  /** Deletes log entries before this time. @returns how many, at most `limit` */
  removeShareViews(before: Micros, limit: number): Promise<number>;
  /** Adds an attempt, and deletes those of the share before `since`. */
  addShareAttempt(attempt: ShareAttemptRow, since: Micros): Promise<void>;
  removeShareAttempt(id: string): Promise<void>;

  /** Adds a verdict, in place of the voter's last one on this version. */
  saveVerdict(verdict: VerdictRow): Promise<void>;
  /** Whether an asset is pending: only then its verdicts are among the open approvals. */
  setVerdictsOpen(asset: string, isOpen: boolean): Promise<void>;
  /** Adds the policy of a project and kind, or replaces it. */
  saveReviewPolicy(policy: ReviewPolicyRow): Promise<void>;
  removeReviewPolicy(project: string, kind: AssetKind): Promise<void>;
}

export interface LibraryData extends LibraryReads, MemoryData {
  atomically<T>(work: (writes: LibraryWrites) => Promise<T>, options?: TransactionOptions): Promise<T>;
}
