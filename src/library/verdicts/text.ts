/** Approvals and verdicts in words, as they are written and read. */
import { listWithAnd } from "../../core/lib/strings/word-list.ts";
import type { Event } from "../../feed/schema.ts";
import type { Approvals, Decision, RoleCount } from "./schema.ts";

/** `design and 2 legal` */
export const rolesText = (roles: readonly RoleCount[]): string =>
  listWithAnd(roles.map(({ role, count }) => (count === 1 ? role : `${count} ${role}`)));

/** `waiting for 2 more: design and legal` */
export const waitingText = ({ have, need, missing }: Approvals): string =>
  `waiting for ${need - have} more: ${rolesText(missing)}`;

/** Reads words such as `legal=2` and `design`; null if one of them is neither. */
export function readRoleCounts(words: readonly string[]): RoleCount[] | null {
  const counts = words.map((word) => {
    const [, role, count = "1"] = /^([^=]+)(?:=(\d+))?$/.exec(word) ?? [];
    return role === undefined ? null : { role, count: Number(count) };
  });
  return counts.every((one) => one !== null) ? counts : null;
}

/** The summary of `asset.reviewed`, which is all that the event says of the verdict: written and read here. */
const verbs: Record<Decision, string> = { approved: "Approved", rejected: "Rejected" };

/** `Approved Harbor map, version 2`. @param what the asset and its version */
export const reviewSummary = (decision: Decision, what: string): string => `${verbs[decision]} ${what}`;

/** The verdict that an `asset.reviewed` tells of; null for other events. */
export function decisionOf({ kind, summary }: Pick<Event, "kind" | "summary">): Decision | null {
  if (kind !== "asset.reviewed") return null;
  return summary.startsWith(reviewSummary("rejected", "")) ? "rejected" : "approved";
}
