/** Review: approve an asset, or reject it with a note for the next attempt. */

import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { pluralize } from "../../core/lib/quantities.ts";
import { fromMicros, type Micros, toMicros } from "../../core/lib/time.ts";
import { badRequest, conflict, noAsset } from "../../core/problem.ts";
import { summaryOf } from "../../memory/decisions.ts";
import {
  mustRank,
  openAtVerdict,
  openLines,
  type RejectionLine,
  rejectionText,
} from "../annotations/at-verdict.ts";
import { failureLines, requireAnswers } from "../checklists/answers.ts";
import { currentChecklist } from "../checklists/checklists.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow, ReviewPolicyRow, VerdictRow } from "../rows.ts";
import { approvalsOf } from "../verdicts/approvals.ts";

import { approve, type Recorded, reject, waitForOthers } from "../verdicts/settle.ts";
import { requireAdmitted, verdictOf, voterOf } from "../verdicts/verdict.ts";
import { toAsset } from "./library.ts";
import type { ReviewInput } from "./requests.ts";
import type { Asset } from "./schema.ts";

/**
 * Records the verdict, and in the same transaction what it makes of the asset: its status, events, the
 * decision and the comment on the forge. All writers share one lock, so of two reviewers, on any nodes, the
 * second one sees the verdict of the first.
 */
export async function reviewAsset(ctx: LibraryContext, input: ReviewInput, caller: Caller): Promise<Asset> {
  const row = await ctx.data.atomically((writes) =>
    recordReview(ctx, writes, input, caller, { at: ctx.now(), isOfSet: false }),
  );
  return toAsset(ctx, row);
}

/**
 * The rule of a review, within a transaction.
 * @throws {Problem} before its first write, except for a rejection without a reason
 */
export async function recordReview(
  ctx: LibraryContext,
  writes: LibraryWrites,
  { id, decision, note, by, checklist: answers, ...expected }: ReviewInput,
  caller: Caller,
  { at, isOfSet }: Pick<Recorded, "isOfSet"> & { at: Micros },
): Promise<AssetRow> {
  const reviewer = actorOf(caller, by);
  const asset = await writes.asset(caller.projects, id);
  if (!asset) throw noAsset(id);
  requireReviewable(asset, expected.sha256);
  const given = await writes.verdicts([id]);
  const last = given.find(({ voter }) => voter === voterOf(caller));
  const sent = { reviewer, decision, note: note ?? null };
  if (!(await hasDecided(writes, asset, last, sent))) requireCurrent(asset, expected);
  const policy = await writes.reviewPolicy(asset.project, asset.kind);
  const newest = await currentChecklist(writes, asset.project, asset.kind);
  const checklist = requireAnswers(newest, answers, decision);
  const review = { ...sent, checklist, at };
  const verdict = verdictOf(asset, review, caller);
  const others = given.filter(({ voter }) => voter !== verdict.voter);
  if (policy) requireAdmitted(asset, verdict, others);
  const places = await openAtVerdict(writes, asset, caller, review);
  const reviewed = await settle({ ctx, writes, asset, verdict, places, isOfSet, last }, policy, others);
  await writes.setVerdictsOpen(id, reviewed.status === "pending");
  return reviewed;
}

/** Without a policy, each verdict decides. One that is sent again changes nothing. */
async function settle(
  { last, ...recorded }: Recorded & { last: VerdictRow | undefined },
  policy: ReviewPolicyRow | null,
  others: readonly VerdictRow[],
): Promise<AssetRow> {
  const { writes, asset, verdict, places } = recorded;
  if (verdict.decision === "rejected") {
    const { note, reason } = rejectionOf(verdict, places);
    const rejection = { ...verdict, note };
    if (isRepeated(last, rejection) && (await stillHolds(writes, asset, last, reason))) return asset;
    await writes.saveVerdict(rejection);
    return reject({ ...recorded, verdict: rejection }, reason);
  }
  if (isRepeated(last, verdict) && asset.status === "approved") return asset;
  await writes.saveVerdict(verdict);
  if (!policy) return approve(recorded, [verdict]);
  const verdicts = [...others, verdict];
  const approvals = approvalsOf(policy, verdicts, asset.sha256);
  const isApproved = asset.status === "approved" || approvals.missing.length === 0;
  if (isApproved) return approve(recorded, verdicts);
  return isRepeated(last, verdict) && asset.status === "pending" ? asset : waitForOthers(recorded, approvals);
}

function requireReviewable(asset: AssetRow, sha256: string | undefined): void {
  if (asset.status === "superseded")
    throw conflict("A newer version has replaced this one. Review the new version instead.");
  if (asset.status === "published")
    throw conflict("This asset is already published, and publishing is permanent.");
  if (asset.key === null)
    throw conflict("The file of this version has been deleted: its retention period has ended.");
  if (sha256 !== undefined && sha256 !== asset.sha256)
    throw conflict("The sha256 does not match this asset's file. Reload the asset and review it again.");
}

type ExpectedReview = Pick<ReviewInput, "seen_status" | "seen_reviewed_at">;

/** Throws a Problem 409 if the asset was reviewed since the caller loaded it. */
function requireCurrent(
  { status, reviewed_by, reviewed_at }: AssetRow,
  { seen_status = status, seen_reviewed_at }: ExpectedReview,
): void {
  const seenAt = seen_reviewed_at == null ? null : toMicros(seen_reviewed_at);
  if (seen_status === status && (seen_reviewed_at === undefined || seenAt === reviewed_at)) return;
  if (reviewed_at === null)
    throw conflict("This asset has not been reviewed yet. Reload it before you review it.");
  const at = fromMicros(reviewed_at).slice(0, "2026-01-02T03:04:05".length).replace("T", " ");
  throw conflict(
    `${reviewed_by} ${status} this asset at ${at} UTC, after you opened it. Reload it to see that review.`,
  );
}

/** Whether a verdict says what the last one of its voter did, on the same file. */
const isRepeated = (last: VerdictRow | undefined, verdict: VerdictRow): last is VerdictRow =>
  last !== undefined && Bun.deepEquals({ ...last, at: verdict.at }, verdict);

/** Whether it was this review that changed the asset after its reviewer opened it, as after a double click. */
async function hasDecided(
  writes: LibraryWrites,
  asset: AssetRow,
  last: VerdictRow | undefined,
  given: Pick<VerdictRow, "reviewer" | "decision" | "note">,
): Promise<boolean> {
  if (last === undefined || last.at !== asset.reviewed_at) return false;
  const note =
    given.decision === "rejected"
      ? noteOf({ ...last, note: given.note }, await openLines(writes, asset))
      : given.note;
  return Bun.deepEquals({ ...last, ...given, note }, last);
}

/**
 * Whether an asset is still rejected, and for the same reason.
 * @param last the rejection @param reason the text of a decision, which also has the annotations of today
 */
async function stillHolds(
  writes: LibraryWrites,
  { id, project, set, status }: AssetRow,
  last: VerdictRow,
  reason: string,
): Promise<boolean> {
  if (status !== "rejected") return false;
  const decisions = await writes.rejectionDecisions(project, [{ id, set, reviewed_at: last.at }]);
  return decisions.some(({ text, valid_until }) => text === reason && valid_until === null);
}

/**
 * @param places the open annotations
 * @returns the note, which counts what is to change if there is none, and the text of the decision
 * @throws {Problem} 400 without a note, an open annotation and a failed item
 */
function rejectionOf(
  { note, checklist, asset }: Pick<VerdictRow, "note" | "checklist" | "asset">,
  places: readonly RejectionLine[],
): { note: string; reason: string } {
  const failures = failureLines(checklist).map((text) => ({ rank: mustRank, text }));
  const own = noteOf({ note, checklist }, places);
  if (own === "") throw badRequest("note is required to reject: explain what to change.");
  return { note: own, reason: rejectionText(own, [...failures, ...places], asset) };
}

/** The note of a rejection; without one, how much there is to change. Empty if that is nothing. */
function noteOf(
  { note, checklist }: Pick<VerdictRow, "note" | "checklist">,
  places: readonly RejectionLine[],
): string {
  if (note !== null && summaryOf(note) !== "") return note;
  const failed = failureLines(checklist).length;
  const counted = [
    ...(places.length > 0 ? [`${pluralize(places.length, "place")} to change`] : []),
    ...(failed > 0 ? [`${failed} failed in the checklist`] : []),
  ];
  return counted.join(", ");
}
