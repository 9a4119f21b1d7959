/** The summary of `asset.reviewed`, which is all that the event says of the verdict: written and read here. */
import type { Event } from "../../feed/schema.ts";
import type { Decision } from "./schema.ts";

const verbs: Record<Decision, string> = { approved: "Approved", rejected: "Rejected" };

/** `Approved Harbor map, version 2`. @param what the asset and its version */
export const reviewSummary = (decision: Decision, what: string): string => `${verbs[decision]} ${what}`;

/** The verdict that an `asset.reviewed` tells of; null for other events. */
export function decisionOf({ kind, summary }: Pick<Event, "kind" | "summary">): Decision | null {
  if (kind !== "asset.reviewed") return null;
  return summary.startsWith(reviewSummary("rejected", "")) ? "rejected" : "approved";
}
