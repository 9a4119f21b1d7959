/** What a review does to its asset: it is approved, rejected, or waits for more approvals. */

import { eventActor } from "../../core/auth/actor.ts";
import { pluralize } from "../../core/lib/quantities.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { badRequest } from "../../core/problem.ts";
import type { AnchorInput } from "../../memory/anchor-schema.ts";
import { ruleText } from "../../memory/checks/rule-text.ts";
import type { Check } from "../../memory/checks/schema.ts";
import { recordDecision, retireDecisions, summaryOf } from "../../memory/decisions.ts";
import type { DecisionHistoryRow } from "../../memory/rows.ts";
import { mustRank, type RejectionLine, rejectionText } from "../annotations/at-verdict.ts";
import { assetEvent, retainedUntil } from "../assets/versions.ts";
import { failureLines } from "../checklists/answers.ts";
import type { LibraryContext } from "../context.ts";
import { queueComment, rejectionComment } from "../outbox/comment.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetChange, AssetRow, ReviewPolicyRow, VerdictRow } from "../rows.ts";
import { renewSetDecision } from "../variant-sets/decision.ts";
import { approvalsOf } from "./approvals.ts";
import type { Approvals } from "./schema.ts";
import { reviewSummary, waitingText } from "./text.ts";

/** A review that was recorded, in the transaction of its writes. */
export interface Recorded {
  ctx: LibraryContext;
  writes: LibraryWrites;
  /** The asset before the review. */
  asset: AssetRow;
  verdict: VerdictRow;
  /** The open annotations. */
  places: readonly RejectionLine[];
  /** It is part of the review of its variant set, which records one decision for all its rejections. */
  isOfSet: boolean;
  /** What a rejection says beside its words. */
  rules: RejectionRules;
}

export interface RejectionRules {
  anchors: AnchorInput[];
  checks: Check[];
}

/** Without a policy, each verdict decides. One that is sent again changes nothing. */
export async function settle(
  { last, ...recorded }: Recorded & { last: VerdictRow | undefined },
  policy: ReviewPolicyRow | null,
  others: readonly VerdictRow[],
): Promise<AssetRow> {
  const { writes, asset, verdict, places } = recorded;
  if (verdict.decision === "rejected") {
    const { note, reason } = rejectionOf(verdict, places);
    const rejection = { ...verdict, note };
    const same = isRepeated(last, rejection) ? await decisionOf(writes, asset, last, reason) : null;
    if (same) {
      await addRules(writes, same, recorded.rules);
      return asset;
    }
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

/** Whether a verdict says what the last one of its voter did, on the same file. */
const isRepeated = (last: VerdictRow | undefined, verdict: VerdictRow): last is VerdictRow =>
  last !== undefined && Bun.deepEquals({ ...last, at: verdict.at }, verdict);

/**
 * The current decision of a rejection, if the asset is still rejected, and for the same reason.
 * @param last the rejection @param reason the text of a decision, which also has the annotations of today
 */
async function decisionOf(
  writes: LibraryWrites,
  { id, project, set, status }: AssetRow,
  last: VerdictRow,
  reason: string,
): Promise<DecisionHistoryRow | null> {
  if (status !== "rejected") return null;
  const decisions = await writes.rejectionDecisions(project, [{ id, set, reviewed_at: last.at }]);
  // A person may have changed its words since.
  const current = decisions.find(({ valid_until }) => valid_until === null);
  return current && decisions.some(({ text }) => text === reason) ? current : null;
}

/** A rejection that is sent again can name files and checks that it did not have. */
async function addRules(
  writes: LibraryWrites,
  { id }: Pick<DecisionHistoryRow, "id">,
  { anchors, checks }: RejectionRules,
): Promise<void> {
  if (anchors.length > 0) await writes.setAnchors(id, JSON.stringify(anchors));
  const before = checks.length > 0 ? await writes.decision(null, id) : null;
  const added = new Set(checks.map(ruleText));
  const others = (before?.checks ?? []).filter((one) => !added.has(ruleText(one)));
  if (before) await writes.setChecks(id, [...others, ...checks]);
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
export function noteOf(
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

/** Retires the decisions of earlier rejections, and stores the notes of the approvals. */
async function approve(recorded: Recorded, approvals: readonly VerdictRow[]): Promise<AssetRow> {
  const { writes, asset, verdict } = recorded;
  const reviewed = await change(writes, asset, { ...reviewOf(verdict), expires_at: null });
  await appendReviewed(recorded);
  await writes.removeReviewRequest(asset.id);
  await writes.retireNotes(asset.id, verdict.at);
  await retireDecisions(writes, asset.project, asset.id, verdict.at);
  const { project, set } = asset;
  if (set !== null && !recorded.isOfSet)
    await renewSetDecision(writes, { project, set }, { actor: eventActor(verdict.reviewer), at: verdict.at });
  await writes.endUrgency(asset.root_id);
  for (const { note, reviewer } of approvals) {
    if (note === null) continue;
    await writes.addNote({
      project: asset.project,
      asset: asset.id,
      title: asset.title,
      text: note,
      actor: eventActor(reviewer),
      valid_from: verdict.at,
    });
  }
  return reviewed;
}

/**
 * Records the decision, and the comment on the forge; for a variant of a reviewed set only if something is to
 * change at places of this one. @param reason the text of the decision
 */
async function reject(recorded: Recorded, reason: string): Promise<AssetRow> {
  const { ctx, writes, asset, verdict, isOfSet } = recorded;
  const { at, reviewer } = verdict;
  const expires_at = retainedUntil(ctx.config, at);
  const reviewed = await change(writes, asset, { ...reviewOf(verdict), expires_at });
  await appendReviewed(recorded);
  await writes.removeReviewRequest(asset.id);
  await writes.retireNotes(asset.id, at);
  if (isOfSet && reason === verdict.note) return reviewed;
  await recordDecision(
    writes,
    { project: asset.project, text: reason, source: "review", source_ref: asset.id, ...recorded.rules },
    eventActor(reviewer),
    at,
  );
  await queueComment(ctx.config, writes, asset, {
    marker: `${asset.id}-${at}`,
    body: rejectionComment(ctx.config, reviewed, reason),
    at,
  });
  return reviewed;
}

/** Keeps the asset pending, also if it was this reviewer who had rejected it. */
async function waitForOthers(
  { ctx, writes, asset, verdict }: Recorded,
  approvals: Approvals,
): Promise<AssetRow> {
  const summary = `Approved ${nameOf(asset)}: ${waitingText(approvals)}`;
  await writes.append([assetEvent(ctx.config, "review.given", asset, verdict.reviewer, summary)]);
  if (asset.status === "pending") return asset;
  await retireDecisions(writes, asset.project, asset.id, verdict.at);
  return change(writes, asset, {
    status: "pending",
    reviewed_by: null,
    reviewed_at: null,
    review_note: null,
    expires_at: null,
  });
}

async function change(writes: LibraryWrites, asset: AssetRow, changed: AssetChange): Promise<AssetRow> {
  await writes.changeAsset(asset.id, changed);
  await writes.renewComparisons(asset.project, asset.title);
  return { ...asset, ...changed };
}

const reviewOf = ({ decision, reviewer, at, note }: VerdictRow) => ({
  status: decision,
  reviewed_by: reviewer,
  reviewed_at: at,
  review_note: note,
});

const nameOf = ({ title, version }: AssetRow): string => `${isolateBidi(title)}, version ${version}`;

/** The event names the open annotations by their number: one event for all places. */
async function appendReviewed({ ctx, writes, asset, verdict, places }: Recorded): Promise<void> {
  const marks = places.length > 0 ? `, with ${pluralize(places.length, "open annotation")}` : "";
  const summary = reviewSummary(verdict.decision, `${nameOf(asset)}${marks}`);
  await writes.append([assetEvent(ctx.config, "asset.reviewed", asset, verdict.reviewer, summary)]);
}
