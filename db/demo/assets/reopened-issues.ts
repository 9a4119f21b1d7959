/**
 * The issues that rejected assets reopened, as a service with a token for the forge does, and that the
 * approval of a later version closed again.
 */
import type { Micros } from "../../../src/core/lib/time.ts";
import { minute } from "../calendar.ts";
import type { EventDraft } from "../draft.ts";
import { issueEvent, type ScheduledTask } from "../tasks/host.ts";
import { bots } from "../team.ts";

export interface DemoReview {
  at: Micros;
  by: string;
  decision: "approved" | "rejected";
}

/** @param reviews those of the task's assets; the events of the task itself are already generated */
export function* reopenedIssues(scheduled: ScheduledTask, reviews: DemoReview[]): Generator<EventDraft> {
  let isReopened = false;
  const closed = scheduled.closed ?? Number.POSITIVE_INFINITY;
  for (const { at, by, decision } of reviews.filter((one) => one.at > closed).sort((a, b) => a.at - b.at)) {
    const reopens = decision === "rejected";
    if (reopens === isReopened) continue;
    isReopened = reopens;
    const [actor, what] = reopens ? [bots.agents, "reopened"] : [by, "closed"];
    yield { at: at + minute, event: () => issueEvent(scheduled, actor, what) };
  }
}
