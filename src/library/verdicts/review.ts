/** Review: approve an asset, or reject it with a note for the next attempt. */

import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros, type Micros, toMicros } from "../../core/lib/time.ts";
import { badRequest, conflict, noAsset } from "../../core/problem.ts";
import { requireRules } from "../../memory/checks/rules.ts";
import { standingOf } from "../../memory/standing.ts";
import { openAtVerdict, openLines } from "../annotations/at-verdict.ts";
import { toAsset } from "../assets/library.ts";
import type { ReviewInput } from "../assets/requests.ts";
import type { Asset } from "../assets/schema.ts";
import { requireAnswers } from "../checklists/answers.ts";
import { currentChecklist } from "../checklists/checklists.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow, VerdictRow } from "../rows.ts";
import { noteOf, type Recorded, type RejectionRules, settle } from "./settle.ts";
import { requireAdmitted, verdictOf, voterOf } from "./verdict.ts";

/**
 * Records the verdict, and in the same transaction what it makes of the asset: its status, events, the
 * decision and the comment on the forge. All writers share one lock, so of two reviewers, on any nodes, the
 * second one sees the verdict of the first.
 */
export async function reviewAsset(ctx: LibraryContext, input: ReviewInput, caller: Caller): Promise<Asset> {
  const rules = await rulesOf(input, caller);
  const row = await ctx.data.atomically((writes) =>
    recordReview(ctx, writes, input, caller, { at: ctx.now(), isOfSet: false, rules }),
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
  { at, isOfSet, rules }: Pick<Recorded, "isOfSet" | "rules"> & { at: Micros },
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
  const reviewed = await settle(
    { ctx, writes, asset, verdict, places, isOfSet, rules, last },
    policy,
    others,
  );
  await writes.setVerdictsOpen(id, reviewed.status === "pending");
  return reviewed;
}

/**
 * What a rejection says beside its words. A person has saved its checks with it, and an agent proposes them.
 * @throws {Problem} 400 for a rule that says nothing, and for an approval that has any
 */
async function rulesOf(
  { decision, anchors = [], checks = [], by }: ReviewInput,
  caller: Caller,
): Promise<RejectionRules> {
  if (anchors.length + checks.length > 0 && decision !== "rejected")
    throw badRequest("anchors and checks belong to a rejection. Leave them out to approve.");
  await requireRules(checks);
  const given = { standing: standingOf(caller, by), actor: eventActor(actorOf(caller, by)) };
  return { anchors, checks: checks.map((rule) => ({ ...rule, ...given })) };
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
