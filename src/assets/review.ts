/** Review: a person approves, or rejects with a note that the next attempt will read. */

import { actorOf, eventActor } from "../auth/actor.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { Writes } from "../data.ts";
import { isolateBidi } from "../lib/display-text.ts";
import { fromMicros, toMicros } from "../lib/time.ts";
import { recordDecision, retireDecisions, summaryOf } from "../memory/decisions.ts";
import { rejectionComment } from "../outbox/comment.ts";
import { badRequest, conflict, noAsset } from "../problem.ts";
import type { AssetRow } from "../rows.ts";
import { toAsset } from "./library.ts";
import type { Asset, ReviewInput } from "./schema.ts";
import { assetEvent, retainedUntil } from "./versions.ts";

/** The verdict, its events, the decision and what is to be said at the source host, in one transaction. */
export async function reviewAsset(
  ctx: Context,
  { id, decision, note, by, ...seen }: ReviewInput,
  caller: Caller,
): Promise<Asset> {
  const reviewer = actorOf(caller, by);
  if (decision === "rejected" && !summaryOf(note ?? ""))
    throw badRequest("note is required to reject: it tells the next attempt what to do better.");
  const row = await ctx.data.atomically(async (writes) => {
    const asset = await writes.asset(caller.projects, id);
    if (!asset) throw noAsset(id);
    requireReviewable(asset, seen.sha256);
    requireSeen(asset, seen);
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
    const verdict = decision === "approved" ? "Approved" : "Rejected";
    await writes.append([
      assetEvent(
        "asset.reviewed",
        asset,
        reviewer,
        `${verdict} ${isolateBidi(asset.title)}, version ${asset.version}`,
      ),
    ]);
    const changed = { ...asset, ...change };
    await writes.retireNotes(id, at);
    if (decision === "approved") await keepApproval(writes, changed, note);
    else await tellTheNextAttempt(ctx, writes, changed, note as string);
    return changed;
  });
  return toAsset(ctx, row);
}

function requireReviewable(asset: AssetRow, sha256: string | undefined): void {
  if (asset.status === "superseded") throw conflict("A newer version has replaced this one; review that.");
  if (asset.status === "published")
    throw conflict("It is published already, and a publication is permanent.");
  if (asset.key === null) throw conflict("Its bytes are gone: the time to keep a rejected version is over.");
  if (sha256 !== undefined && sha256 !== asset.sha256)
    throw conflict("These are not the bytes that were looked at: the sha256 differs.");
}

type Seen = Pick<ReviewInput, "seen_status" | "seen_reviewed_at">;

/** A reviewer who has not seen the verdict of another one does not overwrite it. */
function requireSeen(
  { status, reviewed_by, reviewed_at }: AssetRow,
  { seen_status = status, seen_reviewed_at }: Seen,
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

/** Nothing has to be done better any more; what was said all the same is remembered. */
async function keepApproval(
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

async function tellTheNextAttempt(
  ctx: Context,
  writes: Writes,
  asset: AssetRow,
  note: string,
): Promise<void> {
  const at = asset.reviewed_at as number;
  const reviewer = asset.reviewed_by as string;
  await recordDecision(
    writes,
    { project: asset.project, text: note, source: "review", source_ref: asset.id },
    eventActor(reviewer),
    at,
  );
  const number = asset.pr ?? asset.issue;
  if (!ctx.config.githubToken || number === null) return;
  const project = await writes.project(null, asset.project);
  if (!project) return;
  const marker = `${asset.id}-${at}`;
  await writes.addOutbox({
    marker,
    repo: project.repo,
    number,
    body: rejectionComment(ctx.config.siteUrl, asset, note),
    due_at: at,
    created_at: at,
  });
}
