import type { EventKind } from "../../feed/schema.ts";

/** Events that add items to an inbox, or take some away. */
export const inboxKinds: readonly EventKind[] = [
  "asset.uploaded",
  "asset.reviewed",
  "review.requested",
  "review.overdue",
  "review.given",
  "run.started",
  "run.failed",
  "run.lost",
  "run.finished",
  "preview.failed",
  "preview.ready",
  "issue.closed",
  "pr.merged",
  "pr.closed",
  "budget.reached",
  "webhook.paused",
];
