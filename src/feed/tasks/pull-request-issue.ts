/**
 * Which issue a pull request belongs to: its events say so. The newest event of the pull request itself that
 * names an issue decides, such as its merge ("Fixes #13"). Without one, the first other event that names
 * both, such as a step of a run. So events may come in any order.
 */

import type { Micros } from "../../core/lib/time.ts";
import type { EventRow } from "../schema.ts";

export const pullRequestKinds = [
  "pr.opened",
  "pr.review",
  "pr.merged",
  "pr.closed",
] as const satisfies EventRow["kind"][];

export interface PullRequestIssue {
  project: string;
  pr: number;
  issue: number;
  /** Of the events that name an issue, that with the highest rank decides. */
  rank: number;
}

type LinkingEvent = Pick<EventRow, "kind"> & Partial<Pick<EventRow, "project" | "issue" | "pr">>;

/** Whether the event is one of the pull request itself. */
const isOfPullRequest = ({ kind }: Pick<EventRow, "kind">): boolean =>
  (pullRequestKinds as readonly EventRow["kind"][]).includes(kind);

/** The issues of the pull requests that these events name. @param ts the time of the event */
export function pullRequestIssues<E extends LinkingEvent>(
  events: readonly E[],
  timeOf: (event: E, index: number) => Micros,
): PullRequestIssue[] {
  const found = new Map<string, PullRequestIssue>();
  for (const [index, event] of events.entries()) {
    const { project, issue, pr } = event;
    if (project == null || issue == null || pr == null) continue;
    const ts = timeOf(event, index);
    const rank = isOfPullRequest(event) ? ts : -ts;
    const key = `${project} ${pr}`;
    if (rank > (found.get(key)?.rank ?? Number.NEGATIVE_INFINITY))
      found.set(key, { project, pr, issue, rank });
  }
  return [...found.values()];
}
