/** All reads and writes of the asset library: assets, uploads, their sets, review requests, verdicts and share links. */
import type {
  BundleReads,
  BundleWrites,
  ChecklistReads,
  ChecklistWrites,
  ProvenanceReads,
  ProvenanceWrites,
  RepeatReads,
  RepeatWrites,
  ReviewRequestReads,
  ReviewRequestWrites,
  ShareReads,
  ShareWrites,
  UploadReads,
  UploadWrites,
  VariantSetReads,
  VerdictReads,
  VerdictWrites,
} from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";
import { repeatReads, repeatWrites } from "../repeats/repeats.ts";
import { shareReads, shareWrites } from "../shares/shares.ts";
import { checklistReads, checklistWrites } from "../verdicts/checklists.ts";
import { policyReads, policyWrites } from "../verdicts/policies.ts";
import { verdictReads, verdictWrites } from "../verdicts/verdicts.ts";
import { type AssetReads, type AssetWrites, assetReads, assetWrites } from "./assets.ts";
import { bundleReads, bundleWrites } from "./bundles.ts";
import { provenanceReads, provenanceWrites } from "./provenance.ts";
import { reviewRequestReads, reviewRequestWrites } from "./review-requests.ts";
import { uploadReads, uploadWrites } from "./uploads.ts";
import { variantSetReads } from "./variant-sets.ts";

type LibraryReads = AssetReads &
  UploadReads &
  BundleReads &
  RepeatReads &
  ReviewRequestReads &
  Omit<VerdictReads, "rejectionDecisions"> &
  ChecklistReads &
  ShareReads &
  ProvenanceReads &
  VariantSetReads;

export const libraryReads = (session: Session): LibraryReads => ({
  ...assetReads(session),
  ...uploadReads(session),
  ...bundleReads(session),
  ...repeatReads(session),
  ...reviewRequestReads(session),
  ...verdictReads(session),
  ...policyReads(session),
  ...checklistReads(session),
  ...shareReads(session),
  ...provenanceReads(session),
  ...variantSetReads(session),
});

type LibraryWrites = AssetWrites &
  UploadWrites &
  BundleWrites &
  RepeatWrites &
  ReviewRequestWrites &
  VerdictWrites &
  ChecklistWrites &
  ShareWrites &
  ProvenanceWrites;

export const libraryWrites = (session: Session): LibraryWrites => ({
  ...assetWrites(session),
  ...uploadWrites(session),
  ...bundleWrites(session),
  ...repeatWrites(session),
  ...reviewRequestWrites(session),
  ...verdictWrites(session),
  ...policyWrites(session),
  ...checklistWrites(session),
  ...shareWrites(session),
  ...provenanceWrites(session),
});
