/** All reads and writes of the asset library: assets, uploads, their sets, review requests, verdicts and share links. */
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";
import { repeatReads, repeatWrites } from "../repeats/repeats.ts";
import { shareReads, shareWrites } from "../shares/shares.ts";
import {
  checklistReads,
  checklistWrites,
  policyReads,
  policyWrites,
  rejectionReads,
  verdictReads,
  verdictWrites,
} from "../verdicts/verdicts.ts";
import { assetReads, assetWrites, variantSetReads } from "./assets.ts";
import { bundleReads, bundleWrites } from "./bundles.ts";
import { provenanceReads, provenanceWrites } from "./provenance.ts";
import { reviewRequestReads, reviewRequestWrites } from "./review-requests.ts";
import { uploadReads, uploadWrites } from "./uploads.ts";

export const libraryReads = (session: Session) =>
  ({
    ...assetReads(session),
    ...uploadReads(session),
    ...bundleReads(session),
    ...repeatReads(session),
    ...reviewRequestReads(session),
    ...verdictReads(session),
    ...rejectionReads(session),
    ...policyReads(session),
    ...checklistReads(session),
    ...shareReads(session),
    ...provenanceReads(session),
    ...variantSetReads(session),
  }) satisfies Partial<LibraryReads>;

export const libraryWrites = (session: Session) =>
  ({
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
  }) satisfies Partial<LibraryWrites>;
