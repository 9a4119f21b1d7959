/**
 * Checks in force of confirmed decisions that an agent ended, by a decision of its own or by retiring them:
 * until a person confirms that, or takes it back.
 */
import { conflict } from "../../core/problem.ts";
import type { MemoryReads, MemoryWrites } from "../port.ts";
import type { DecisionHistoryRow, DecisionRow } from "../rows.ts";

/** Of a project, or of all that a caller may read. */
export const heldMax = 500;

/** Whether programs check something that a person decided. */
export const isChecked = ({ standing, checks }: Pick<DecisionRow, "standing" | "checks">): boolean =>
  standing === "confirmed" && (checks ?? []).some((check) => check.standing === "confirmed");

/** Lets go of what a decision replaced, through the proposals in between, because a person confirmed that. */
export async function releaseReplaced(writes: MemoryWrites, supersedes: number | null): Promise<void> {
  for (let id = supersedes; id !== null; ) {
    const row = await writes.decision(null, id);
    if (!row) return;
    await writes.setHeld(id, null);
    id = row.standing === "confirmed" ? null : row.supersedes;
  }
}

/** The current decision that replaced an ended one, directly or not; null if none did. */
export async function currentReplacement(
  reads: Pick<MemoryReads, "decisionReplacing">,
  id: number,
): Promise<DecisionHistoryRow | null> {
  for (let row = await reads.decisionReplacing(id); row; row = await reads.decisionReplacing(row.id))
    if (row.valid_until === null) return row;
  return null;
}

/**
 * Whether a person settles an ended decision itself.
 * @throws 409 if they settle the proposal that replaced it
 */
export async function requireHeld(reads: MemoryReads, row: DecisionHistoryRow): Promise<boolean> {
  const held = await reads.heldDecisions([row.project], heldMax);
  if (!held.some(({ id }) => id === row.id)) return false;
  const replacement = await currentReplacement(reads, row.id);
  if (replacement?.standing === "proposed")
    throw conflict(`Confirm or drop decision ${replacement.id}, which replaces decision ${row.id}.`);
  return true;
}
