/** Review: approve an asset, or reject it with a note for the next attempt. */

import { actorOf, eventActor } from "../auth/actor.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { Writes } from "../data.ts";
import { isolateBidi } from "../lib/display-text.ts";
import { fromMicros, toMicros } from "../lib/time.ts";
import { recordDecision, retireDecisions, summaryOf } from "../memory/decisions.ts";
import { rejectionComment } from "../outbox/comment.ts";
import { takesComments } from "../outbox/destination.ts";
import { badRequest, conflict, noAsset } from "../problem.ts";
import type { AssetRow } from "../rows.ts";
import { toAsset } from "./library.ts";
import type { ReviewInput } from "./requests.ts";
import type { Asset } from "./schema.ts";
import { assetEvent, retainedUntil } from "./versions.ts";

/** Records the review, its events, the decision and the comment on the forge in one transaction. */
export async function reviewAsset(
  ctx: Context,
  { id, decision, note, by, ...expected }: ReviewInput,
  caller: Caller,
): Promise<Asset> {
  const reviewer = actorOf(caller, by);
  if (decision === "rejected" && !summaryOf(note ?? ""))
    throw badRequest("note is required to reject: explain what to change.");
  const row = await ctx.data.atomically(async (writes) => {
    const asset = await writes.asset(caller.projects, id);
    if (!asset) throw noAsset(id);
    requireReviewable(asset, expected.sha256);
    requireCurrent(asset, expected);
    const at = ctx.now();
    const expires_at = decision === "rejected" ? retainedUntil(ctx.config, at) : null;
    const change = {
      status: decision,
      reviewed_by: reviewer,
      reviewed_at: at,
      review_note: note ?? null,
      expires_at,
    };
    await writes.changeAsset(id, change);
    const verb = decision === "approved" ? "Approved" : "Rejected";
    await writes.append([
      assetEvent(
        ctx.config,
        "asset.reviewed",
        asset,
        reviewer,
        `${verb} ${isolateBidi(asset.title)}, version ${asset.version}`,
      ),
    ]);
    const reviewed = { ...asset, ...change };
    await writes.removeReviewRequest(id);
    await writes.retireNotes(id, at);
    if (decision === "approved") await recordApproval(writes, reviewed, note);
    else await recordRejection(ctx, writes, reviewed, note as string);
    return reviewed;
  });
  return toAsset(ctx, row);
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

/** Retires the decisions of earlier rejections, and stores the note of an approval. */
async function recordApproval(
  writes: Writes,
  { id, project, title, reviewed_by, reviewed_at }: AssetRow,
  note: string | undefined,
): Promise<void> {
  const at = reviewed_at as number;
  await retireDecisions(writes, project, id, at);
  if (note === undefined) return;
  await writes.addNote({
    project,
    asset: id,
    title,
    text: note,
    actor: eventActor(reviewed_by as string),
    valid_from: at,
  });
}

async function recordRejection(ctx: Context, writes: Writes, asset: AssetRow, note: string): Promise<void> {
  const at = asset.reviewed_at as number;
  const reviewer = asset.reviewed_by as string;
  await recordDecision(
    writes,
    { project: asset.project, text: note, source: "review", source_ref: asset.id },
    eventActor(reviewer),
    at,
  );
  const number = asset.pr ?? asset.issue;
  if (number === null) return;
  const project = await writes.project(null, asset.project);
  if (!project || !takesComments(ctx.config, project)) return;
  const marker = `${asset.id}-${at}`;
  await writes.addOutbox({
    marker,
    ...{ forge: project.forge, host: project.host, repo: project.repo },
    ...{ number, is_pull: asset.pr !== null },
    body: rejectionComment(ctx.config.siteUrl, asset, note),
    due_at: at,
    created_at: at,
  });
}
