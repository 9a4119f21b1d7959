/** Events to try a webhook with: one of each kind that chat messages tell of. */

import { fromMicros, minuteMicros } from "../../../core/lib/time.ts";
import type { Event, EventKind } from "../../../feed/schema.ts";
import { reviewSummary } from "../../../library/verdicts/review-summary.ts";
import type { IntegrationsContext } from "../../context.ts";

/** What the samples say. They are about no asset and no run, so messages show what the events say. */
const samples: Partial<Record<EventKind, Partial<Event>>> = {
  "run.failed": {
    summary: "This is a test of your webhook: nothing failed",
    actor: "agent:codex",
    issue: 12,
    duration_ms: 61_000,
    cost_equiv: 0.42,
    run_id: "sample",
  },
  "run.finished": {
    summary: "This is a test of your webhook: Drew two maps",
    actor: "agent:codex",
    issue: 12,
    duration_ms: 61_000,
    cost_equiv: 0.42,
    run_id: "sample",
  },
  "run.lost": { summary: "Test: No event for 30 min. Last: Drew two maps", actor: "agent:codex", issue: 12 },
  "review.requested": { summary: "Test: Asked everyone to review Map of the harbor, version 1" },
  "review.overdue": { summary: "Test: The review of Map of the harbor, version 1, is overdue" },
  "review.given": { summary: "Test: Approved Map of the harbor, version 1: waiting for 1 more: design" },
  "asset.uploaded": { summary: "Test: Uploaded Map of the harbor, version 1" },
  "asset.reviewed": { summary: `Test: ${reviewSummary("approved", "Map of the harbor, version 1")}` },
  "asset.published": { summary: "Test: Published Map of the harbor, version 1" },
  "decision.captured": { summary: "Test: Maps use meters" },
  "budget.reached": { summary: "Test: Budget 'everything, month' is at 80%: $160 of $200" },
  "webhook.paused": { summary: "Test: Paused webhook deploys: it answered 410" },
};

/** @returns the samples, the most telling first. Every format has a message for each. */
export const sampleEvents = ({ now }: Pick<IntegrationsContext, "now">, project: string): Event[] =>
  Object.entries(samples).map(([kind, fields], index) => ({
    // Old enough that no message waits for more.
    id: index + 1,
    ts: fromMicros(now() - 10 * minuteMicros),
    actor: "bot:svc",
    summary: kind,
    kind: kind as EventKind, // safe because: these are the keys of `samples`
    project,
    repo: null,
    issue: null,
    pr: null,
    lane: null,
    model: null,
    subscription: null,
    tokens_in: 0,
    tokens_out: 0,
    cache_read: 0,
    cache_write: 0,
    cost_equiv: 0,
    duration_ms: null,
    url: null,
    ...fields,
  }));
