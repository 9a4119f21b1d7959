/** A review policy and a checklist for the images of one project, and the first of two approvals. */

import type { Writes } from "../../src/api/port.ts";
import type { Micros } from "../../src/core/lib/time.ts";
import type { AssetRow, ChecklistRow, ReviewPolicyRow, VerdictRow } from "../../src/library/rows.ts";
import { minute } from "./calendar.ts";
import type { TimedEvent } from "./draft.ts";
import type { DemoProject } from "./team.ts";

export interface DemoReviews {
  policy: ReviewPolicyRow;
  checklist: ChecklistRow;
  verdicts: VerdictRow[];
  events: TimedEvent[];
}

/** @param assets with those of the project */
export function planReviews(
  { slug, lead, reviewers }: DemoProject,
  assets: readonly AssetRow[],
  linkedAt: Micros,
  now: Micros,
): DemoReviews {
  const set = { project: slug, kind: "image" as const, changed_by: lead, changed_at: linkedAt };
  const need = [
    { role: "design", count: 1 },
    { role: "admin", count: 1 },
  ];
  const items = [
    { id: "sunlight", text: "Readable in sunlight, at arm's length", required: true },
    { id: "contrast", text: "Text has a contrast of 4.5 or more", required: true },
    { id: "symbols", text: "Symbols are those of the legend", required: false },
  ];
  const checklist = { ...set, version: 1, items };
  const waiting = assets.findLast(
    ({ project, kind, status }) => project === slug && kind === "image" && status === "pending",
  );
  const at = (waiting?.created_at ?? now) + 20 * minute;
  const reviews = { policy: { ...set, need }, checklist };
  if (!waiting || at >= now) return { ...reviews, verdicts: [], events: [] };
  const reviewer = reviewers.find((name) => name !== lead) ?? lead;
  const voter = reviewer.replace(/^human:/, "");
  const verdict: VerdictRow = {
    asset: waiting.id,
    project: slug,
    sha256: waiting.sha256,
    voter,
    principal: voter,
    reviewer,
    at,
    role: "design",
    decision: "approved",
    note: "The free berths stand out now.",
    checklist: { version: 1, answers: items.map((item) => ({ ...item, result: "pass" })) },
  };
  const summary = `Approved ${waiting.title}, version ${waiting.version}: waiting for 1 more: admin`;
  const { issue, pr } = waiting;
  const event = { kind: "review.given" as const, actor: reviewer, project: slug, issue, pr, summary, ts: at };
  return { ...reviews, verdicts: [verdict], events: [event] };
}

/** Adds the reviews, whose events are in the log. */
export async function addReviews(
  writes: Writes,
  { policy, checklist, verdicts }: DemoReviews,
): Promise<void> {
  await writes.saveReviewPolicy(policy);
  await writes.addChecklist(checklist);
  for (const verdict of verdicts) await writes.saveVerdict(verdict);
}
