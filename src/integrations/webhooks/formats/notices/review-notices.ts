/** Requests for a review, reminders of those that are overdue, and approvals that are not enough alone. */
import { dayMicros, minuteOf } from "../../../../core/lib/time.ts";
import type { Event } from "../../../../feed/schema.ts";
import { whoIsAsked } from "../../../../library/review-requests/reminders.ts";
import type { ReviewRequestRow } from "../../../../library/rows.ts";
import { loadApprovals } from "../../../../library/verdicts/approvals.ts";
import { waitingText } from "../../../../library/verdicts/text.ts";
import type { IntegrationsContext } from "../../../context.ts";
import { assetNotice, assetOf, summaryNotice, taskOf } from "./asset-notices.ts";
import { cleanActor, cleanQuote, cleanTitle, type Notice, type Urgency } from "./notice.ts";

/** A request is urgent when the review is due within a day. */
export async function requestUrgency(ctx: IntegrationsContext, event: Event): Promise<Urgency> {
  const asset = await assetOf(ctx, event);
  const request = asset && (await ctx.data.reviewRequest(asset.id));
  return request?.due_at != null && request.due_at - ctx.now() <= dayMicros ? "urgent" : "normal";
}

/** Null once the asset is reviewed or replaced. */
async function openRequestNotice(
  ctx: IntegrationsContext,
  event: Event,
  verb: string,
  factsOf: (request: ReviewRequestRow) => string[],
): Promise<Notice | null> {
  const asset = await assetOf(ctx, event);
  if (!asset) return summaryNotice(ctx, event, { tone: "waiting" });
  const request = asset.status === "pending" ? await ctx.data.reviewRequest(asset.id) : null;
  return (
    request && {
      tone: "waiting",
      ...assetNotice(ctx, asset, verb),
      facts: [...factsOf(request).map(cleanTitle), ...taskOf(asset)],
      quote: cleanQuote(request.question),
    }
  );
}

export const requestNotice = (ctx: IntegrationsContext, event: Event): Promise<Notice | null> =>
  openRequestNotice(ctx, event, "Review requested", (request) => [
    `${cleanActor(ctx, event.actor)} asks ${whoIsAsked(request, ctx.config)}`,
    ...(request.due_at === null ? [] : [`due ${minuteOf(request.due_at)}`]),
  ]);

export const overdueNotice = (ctx: IntegrationsContext, event: Event): Promise<Notice | null> =>
  openRequestNotice(ctx, event, "Review overdue", (request) => [
    `${cleanActor(ctx, request.asked_by)} asked ${whoIsAsked(request, ctx.config)}`,
    ...(request.due_at === null ? [] : [`was due ${minuteOf(request.due_at)}`]),
  ]);

/** One of several approvals; null once the asset is reviewed or replaced, or all have approved. */
export async function givenNotice(ctx: IntegrationsContext, event: Event): Promise<Notice | null> {
  const asset = await assetOf(ctx, event);
  if (!asset) return summaryNotice(ctx, event, { tone: "waiting" });
  const approvals = (await loadApprovals(ctx.data, [asset])).get(asset.id);
  return approvals
    ? {
        tone: "waiting",
        ...assetNotice(ctx, asset, `${approvals.have} of ${approvals.need} approvals`),
        facts: [`Approved by ${cleanActor(ctx, event.actor)}`, waitingText(approvals), ...taskOf(asset)],
        quote: null,
      }
    : null;
}
