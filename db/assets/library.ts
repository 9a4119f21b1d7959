/** All reads and writes of the asset library: assets, uploads, review requests and verdicts. */
import type { UploadReads, UploadWrites } from "../../src/assets/port.ts";
import type { ChecklistReads, ChecklistWrites } from "../../src/checklists/port.ts";
import type { ReviewRequestReads, ReviewRequestWrites } from "../../src/review-requests/port.ts";
import type { VerdictReads, VerdictWrites } from "../../src/verdicts/port.ts";
import type { Session } from "../engine/session.ts";
import { checklistReads, checklistWrites } from "../verdicts/checklists.ts";
import { policyReads, policyWrites } from "../verdicts/policies.ts";
import { verdictReads, verdictWrites } from "../verdicts/verdicts.ts";
import { type AssetReads, type AssetWrites, assetReads, assetWrites } from "./assets.ts";
import { reviewRequestReads, reviewRequestWrites } from "./review-requests.ts";
import { uploadReads, uploadWrites } from "./uploads.ts";

type LibraryReads = AssetReads & UploadReads & ReviewRequestReads & VerdictReads & ChecklistReads;

export const libraryReads = (session: Session): LibraryReads => ({
  ...assetReads(session),
  ...uploadReads(session),
  ...reviewRequestReads(session),
  ...verdictReads(session),
  ...policyReads(session),
  ...checklistReads(session),
});

type LibraryWrites = AssetWrites & UploadWrites & ReviewRequestWrites & VerdictWrites & ChecklistWrites;

export const libraryWrites = (session: Session): LibraryWrites => ({
  ...assetWrites(session),
  ...uploadWrites(session),
  ...reviewRequestWrites(session),
  ...verdictWrites(session),
  ...policyWrites(session),
  ...checklistWrites(session),
});
