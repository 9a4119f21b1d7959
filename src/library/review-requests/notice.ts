/** A new review request, and the words of its event. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import type { AssetRow, ReviewRequestRow } from "../rows.ts";

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

const nameList = new Intl.ListFormat("en", { type: "conjunction" });

/** Who is asked, for sentences: `ana and maria`, or `everyone`. */
export const whoIsAsked = ({ reviewers }: Pick<ReviewRequestRow, "reviewers">): string =>
  reviewers.length > 0 ? nameList.format(reviewers.map(isolateBidi)) : "everyone";

/** A time to the minute: `2026-01-02 03:04 UTC`. */
export const minuteOf = (at: Micros): string => `${fromMicros(at).slice(0, 16).replace("T", " ")} UTC`;

/** What the event of a request says. */
export function summaryOf(request: ReviewRequestRow, { title, version }: AssetRow): string {
  const due = request.due_at === null ? "" : `, by ${minuteOf(request.due_at)}`;
  const question = request.question === null ? "" : `: ${isolateBidi(request.question)}`;
  return `Asked ${whoIsAsked(request)} to review ${isolateBidi(title)}, version ${version}${due}${question}`;
}
