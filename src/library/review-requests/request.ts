/** Asks people to review an asset, and lists the open requests. */

import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { allRoles, grants, isRole, roleOf, roles, type Scope } from "../../core/auth/scopes.ts";
import { fromMicros, type Micros, toMicros } from "../../core/lib/time.ts";
import { badRequest, conflict, noAsset } from "../../core/problem.ts";
import { runIdFor } from "../../feed/runs/join-run.ts";
import { requireOwnRunId } from "../../feed/runs/rule.ts";
import { assetPageUrl, type SiteConfig } from "../assets/page-url.ts";
import { assetEvent } from "../assets/versions.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { AssetRow, ListedReviewRequest as ListedRow, ReviewRequestRow } from "../rows.ts";
import { approvedByCaller } from "../verdicts/approvals.ts";
import { newRequest, summaryOf } from "./reminders.ts";
import type { ReviewRequestInput, ReviewRequestsQuery } from "./requests.ts";
import type { ListedReviewRequest, ReviewRequest, ReviewRequestList } from "./schema.ts";

/**
 * Asks for a review, with its event in the same transaction. Asking again for the same file changes what is
 * given; without a change it writes nothing, so a retry is harmless.
 * @throws {Problem} 400 for a reviewer who cannot review or a due time that has passed, 404 for an unknown
 *   asset, 409 unless the asset is pending
 */
export const requestReview: LibraryRule<ReviewRequestInput, ReviewRequest> = async (
  ctx,
  { id, reviewers, due_at, question, by, run_id },
  caller,
) => {
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
    const summary = summaryOf(request, asset, ctx.config);
    const event = assetEvent(ctx.config, "review.requested", asset, asked_by, summary);
    await writes.append([{ ...event, run_id: await runIdFor(writes, ctx, caller, { ...asset, run_id }) }]);
    return toReviewRequest(ctx.config, request);
  });
};

const nextStep = ({ status }: AssetRow): string =>
  status === "superseded" ? "Ask for a review of its newest version." : "Upload a new version to ask again.";

/** A new due time has reminders of its own. @throws {Problem} 400 if it has passed */
function restartReminders(request: ReviewRequestRow, now: Micros): void {
  if (request.due_at !== null && request.due_at <= now)
    throw badRequest("due_at has passed. Give a time in the future.");
  Object.assign(request, { remind_at: request.due_at, reminders: 0, reminded_at: null });
}

/** Open requests that the caller may see; with `of`, without those for what it has approved. */
export const listReviewRequests: LibraryRule<ReviewRequestsQuery, ReviewRequestList> = async (
  { config, data },
  { of, limit = 50 },
  caller,
) => {
  const approved = of ? await approvedByCaller({ data }, caller) : null;
  const rows = await data.reviewRequests(caller.projects, {
    limit: limit + (approved?.size ?? 0),
    ...(of && { of: namesOf(caller) }),
  });
  const open = rows.filter(({ asset }) => !approved?.has(asset)).slice(0, limit);
  return { review_requests: open.map((row) => toListedRequest(config, row)) };
};

/** Review requests as responses. */
const optionalTime = (at: Micros | null): string | null => (at === null ? null : fromMicros(at));

/** The request as clients see it. */
export const toReviewRequest = (config: SiteConfig, row: ReviewRequestRow): ReviewRequest => ({
  asset_id: row.asset,
  sha256: row.sha256,
  asked_by: row.asked_by,
  reviewers: row.reviewers,
  question: row.question,
  due_at: optionalTime(row.due_at),
  created_at: fromMicros(row.created_at),
  review_url: assetPageUrl(config, row.asset),
  reminded_at: optionalTime(row.reminded_at),
});

export const toListedRequest = (config: SiteConfig, row: ListedRow): ListedReviewRequest => ({
  ...toReviewRequest(config, row),
  project: row.project,
  title: row.title,
  version: row.version,
});

/** Who can be asked for a review: tokens and roles that may review in the asset's project. */
const canReview = (scopes: Iterable<Scope>): boolean => grants(new Set(scopes), "assets:review");

/** @throws {Problem} 400 for a name that is neither such a token nor such a role */
async function requireReviewers(
  { config, data, now }: Pick<LibraryContext, "config" | "data" | "now">,
  names: readonly string[],
  project: string,
): Promise<void> {
  const stored = (await data.tokens()).filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at ?? Number.POSITIVE_INFINITY) > now(),
  );
  const known = [...stored, ...config.tokens.values()].filter(
    ({ scopes, projects }) => canReview(scopes) && (projects?.includes(project) ?? true),
  );
  const isReviewer = (name: string): boolean =>
    isRole(name) ? canReview(roles[name].scopes) : known.some((token) => token.name === name);
  const stranger = names.find((name) => !isReviewer(name));
  if (stranger === undefined) return;
  const able = allRoles.filter((role) => canReview(roles[role].scopes));
  throw badRequest(
    `reviewers: "${stranger}" cannot review assets of ${project}. Name a token with assets:review, or a ` +
      `role: ${able.join(", ")}.`,
  );
}

/** The names under which a caller can be asked: its token, the person, and its role. */
export function namesOf({
  name,
  actor,
  ...token
}: Pick<Caller, "name" | "actor" | "role" | "scopes">): string[] {
  const role = token.role ?? roleOf(token.scopes);
  const person = actor?.replace(/^human:/, "");
  return [...new Set([name, person, role].filter((one) => one != null))];
}
