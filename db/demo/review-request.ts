/** A request for a review that is still open: an agent asks for its newest asset. */
import type { Writes } from "../../src/api/port.ts";
import { type Micros, minuteMicros } from "../../src/core/lib/time.ts";
import { newRequest, summaryOf } from "../../src/library/review-requests/notice.ts";
import type { AssetRow, ReviewRequestRow } from "../../src/library/rows.ts";
import { minute } from "./calendar.ts";
import type { TimedEvent } from "./draft.ts";

const hourMicros = 60 * minuteMicros;

export interface DemoReviewRequest {
  row: ReviewRequestRow;
  event: TimedEvent;
}

/** @returns null while nothing that an agent made waits */
export function planReviewRequest(assets: readonly AssetRow[], now: Micros): DemoReviewRequest | null {
  const asset = assets
    .filter(({ status, created_by }) => status === "pending" && created_by.startsWith("agent:"))
    .sort((a, b) => a.created_at - b.created_at)
    .at(-1);
  if (!asset) return null;
  const { created_by, created_at, project, issue, pr } = asset;
  const at = Math.min(created_at + 2 * minute, now - 1);
  const row = {
    ...newRequest(asset, created_by, at),
    reviewers: [],
    question: "Can this go out with the next release?",
    due_at: Math.ceil(now / hourMicros) * hourMicros + 4 * hourMicros,
  };
  const summary = summaryOf(row, asset);
  const event = { kind: "review.requested" as const, actor: created_by, summary, project, issue, pr, ts: at };
  return { row: { ...row, remind_at: row.due_at }, event };
}

/** Adds the request, whose asset and event are in the database. */
export async function addReviewRequest(writes: Writes, request: DemoReviewRequest | null): Promise<void> {
  if (request) await writes.saveReviewRequest(request.row);
}
