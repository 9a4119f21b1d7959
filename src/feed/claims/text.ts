/** Renders claims as text for agents and the command line. */
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { minuteText } from "../../core/lib/time.ts";
import type { Claim, ClaimResult } from "./schema.ts";

/** `agent:codex claims #12 since 2026-03-01 14:02 UTC, until 2026-03-01 14:32 UTC (run s1)` */
export function claimText(claim: Omit<Claim, "note" | "project">): string {
  const run = claim.run_id === null ? "" : ` (run ${claim.run_id})`;
  const time = `since ${minuteText(claim.since)}, until ${minuteText(claim.until)}`;
  return escapeControls(`${claim.holder} claims ${claim.subject} ${time}${run}`);
}

/** With its note, which its holder wrote. */
export const claimLine = ({ note, ...claim }: Claim): string =>
  `- ${claimText(claim)}${note === null ? "" : `: ${escapeControls(note)}`}`;

export function claimResultText({ claims, others, released }: ClaimResult, enclose: TagData): string {
  const own = claims.map(
    ({ subject, until }) => `You hold ${escapeControls(subject)} until ${minuteText(until)}.`,
  );
  const done = released > 0 ? [`Released: ${released}.`] : [];
  const lines = enclose("the holder of each claim", others.map(claimLine).join("\n"));
  return [...own, ...done, ...(others.length > 0 ? ["Claims of others on the same:", lines] : [])].join("\n");
}
