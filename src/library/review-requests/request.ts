/** Asks people to review an asset, and lists the open requests. */

import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { type Micros, toMicros } from "../../core/lib/time.ts";
import { badRequest, conflict, noAsset } from "../../core/problem.ts";
import { runIdFor } from "../../feed/runs/join-run.ts";
import { requireOwnRunId } from "../../feed/runs/rule.ts";
import { assetEvent } from "../assets/versions.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow, ReviewRequestRow } from "../rows.ts";
import { approvedByCaller } from "../verdicts/asset-verdicts.ts";
import { newRequest, summaryOf } from "./notice.ts";
import { toListedRequest, toReviewRequest } from "./rendered-request.ts";
import type { ReviewRequestInput, ReviewRequestsQuery } from "./requests.ts";
import { namesOf, requireReviewers } from "./reviewers.ts";
import type { ReviewRequest, ReviewRequestList } from "./schema.ts";

/**
 * Asks for a review, with its event in the same transaction. Asking again for the same file changes what is
 * given; without a change it writes nothing, so a retry is harmless.
 * @throws {Problem} 400 for a reviewer who cannot review or a due time that has passed, 404 for an unknown
 *   asset, 409 unless the asset is pending
 */
export async function requestReview(
  ctx: LibraryContext,
  { id, reviewers, due_at, question, by, run_id }: ReviewRequestInput,
  caller: Caller,
): Promise<ReviewRequest> {
  const asked_by = actorOf(caller, by);
  requireOwnRunId(run_id);
  const found = await ctx.data.asset(caller.projects, id);
  if (!found) throw noAsset(id);
  if (reviewers) await requireReviewers(ctx, reviewers, found.project);
  const given = {
    ...(reviewers && { reviewers: [...new Set(reviewers)] }),
    ...(due_at !== undefined && { due_at: toMicros(due_at) }),
    ...(question !== undefined && { question }),
  };
  return ctx.data.atomically(async (writes) => {
    const asset = (await writes.asset(null, id)) as AssetRow; // safe because: assets are never deleted
    if (asset.status !== "pending")
      throw conflict(`This asset is ${asset.status}, so there is nothing to ask for. ${nextStep(asset)}`);
    const at = ctx.now();
    const open = await writes.reviewRequest(id);
    const request = { ...newRequest(asset, asked_by, at), ...open, ...given };
    if (open && JSON.stringify(request) === JSON.stringify(open)) return toReviewRequest(ctx.config, open);
    request.asked_by = asked_by;
    if (request.due_at !== (open?.due_at ?? null)) restartReminders(request, at);
    await writes.saveReviewRequest(request);
    const event = assetEvent(ctx.config, "review.requested", asset, asked_by, summaryOf(request, asset));
    await writes.append([{ ...event, run_id: await runIdFor(writes, ctx, caller, { ...asset, run_id }) }]);
    return toReviewRequest(ctx.config, request);
  });
}

const nextStep = ({ status }: AssetRow): string =>
  status === "superseded" ? "Ask for a review of its newest version." : "Upload a new version to ask again.";

/** A new due time has reminders of its own. @throws {Problem} 400 if it has passed */
function restartReminders(request: ReviewRequestRow, now: Micros): void {
  if (request.due_at !== null && request.due_at <= now)
    throw badRequest("due_at has passed. Give a time in the future.");
  Object.assign(request, { remind_at: request.due_at, reminders: 0, reminded_at: null });
}

/** Open requests that the caller may see; with `of`, without those for what it has approved. */
export async function listReviewRequests(
  { config, data }: LibraryContext,
  { of, limit = 50 }: ReviewRequestsQuery,
  caller: Caller,
): Promise<ReviewRequestList> {
  const approved = of ? await approvedByCaller(data, caller) : null;
  const rows = await data.reviewRequests(caller.projects, {
    limit: limit + (approved?.size ?? 0),
    ...(of && { of: namesOf(caller) }),
  });
  const open = rows.filter(({ asset }) => !approved?.has(asset)).slice(0, limit);
  return { review_requests: open.map((row) => toListedRequest(config, row)) };
}
