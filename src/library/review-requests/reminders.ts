/** Reminders of review requests that are overdue: at the due time, then once a day. */

import { actorLabel } from "../../core/auth/actor-name.ts";
import { ownActor } from "../../core/auth/caller.ts";
import { isRole } from "../../core/auth/scopes.ts";
import type { Config } from "../../core/config.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { listWithAnd } from "../../core/lib/strings/word-list.ts";
import { dayMicros, type Micros, minuteOf } from "../../core/lib/time.ts";
import { assetEvent } from "../assets/versions.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow, ReviewRequestRow } from "../rows.ts";

/** Who has not reacted to five reminders does not react to the sixth. */
const remindersMax = 5;
const batchMax = 20;

/**
 * Writes the event of each reminder that is due. The event and its count are one transaction under the lock
 * of all writers, so several processes write each one once.
 * @returns how many were written
 */
export async function remindOfReviews(ctx: LibraryContext): Promise<number> {
  let written = 0;
  // Checks first: a transaction takes the lock that all writers share.
  while ((await ctx.data.dueReviewReminders(ctx.now(), 1)).length > 0)
    written += await ctx.data.atomically(async (writes) => {
      let inBatch = 0;
      for (const request of await writes.dueReviewReminders(ctx.now(), batchMax))
        if (await remind(ctx, writes, request)) inBatch++;
      return inBatch;
    });
  return written;
}

/** @returns false if the asset was reviewed by an older version of svc, which does not end requests */
async function remind(
  ctx: LibraryContext,
  writes: LibraryWrites,
  request: ReviewRequestRow,
): Promise<boolean> {
  const { asset: id, reminders } = request;
  const asset = await writes.asset(null, id);
  if (asset?.status !== "pending") {
    await writes.removeReviewRequest(id);
    return false;
  }
  const now = ctx.now();
  const due = request.due_at as Micros; // safe because: only requests with a due time have reminders
  const days = Math.floor((now - due) / dayMicros) + 1;
  const next = reminders + 1 < remindersMax ? due + days * dayMicros : null;
  await writes.recordReviewReminder(id, now, next);
  const summary =
    `The review of ${isolateBidi(asset.title)}, version ${asset.version}, is overdue: ` +
    `asked of ${whoIsAsked(request, ctx.config)}, due ${minuteOf(due)}`;
  await writes.append([assetEvent(ctx.config, "review.overdue", asset, ownActor, summary)]);
  return true;
}

/** A request that asks everyone, without a question and a due time. */
export const newRequest = (
  { id, project, sha256 }: AssetRow,
  asked_by: string,
  at: Micros,
): ReviewRequestRow => ({
  asset: id,
  project,
  sha256,
  asked_by,
  reviewers: [],
  question: null,
  due_at: null,
  created_at: at,
  remind_at: null,
  reminders: 0,
  reminded_at: null,
});

/** Who is asked, for sentences: `ana and maria`, or `everyone`. */
export function whoIsAsked(
  { reviewers }: Pick<ReviewRequestRow, "reviewers">,
  config: Pick<Config, "hidePersons">,
): string {
  const label = (name: string) => (isRole(name) ? name : isolateBidi(actorLabel(`token:${name}`, config)));
  return reviewers.length > 0 ? listWithAnd(reviewers.map(label)) : "everyone";
}

/** What the event of a request says. */
export function summaryOf(
  request: ReviewRequestRow,
  { title, version }: AssetRow,
  config: Pick<Config, "hidePersons">,
): string {
  const due = request.due_at === null ? "" : `, by ${minuteOf(request.due_at)}`;
  const question = request.question === null ? "" : `: ${isolateBidi(request.question)}`;
  const who = whoIsAsked(request, config);
  return `Asked ${who} to review ${isolateBidi(title)}, version ${version}${due}${question}`;
}
