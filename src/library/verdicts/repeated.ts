/** Reviews that are sent again: clients and proxies repeat a PUT whose response was lost (RFC 9110, 9.2.2). */

import { openLines } from "../annotations/at-verdict.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow, VerdictRow } from "../rows.ts";
import { noteOf } from "./rejection.ts";

/** Whether a verdict says what the last one of its voter did, on the same file. */
export const isRepeated = (last: VerdictRow | undefined, verdict: VerdictRow): last is VerdictRow =>
  last !== undefined && Bun.deepEquals({ ...last, at: verdict.at }, verdict);

/** Whether it was this review that changed the asset after its reviewer opened it, as after a double click. */
export async function hasDecided(
  writes: LibraryWrites,
  asset: AssetRow,
  last: VerdictRow | undefined,
  given: Pick<VerdictRow, "reviewer" | "decision" | "note">,
): Promise<boolean> {
  if (last === undefined || last.at !== asset.reviewed_at) return false;
  const note =
    given.decision === "rejected"
      ? noteOf({ ...last, note: given.note }, await openLines(writes, asset))
      : given.note;
  return Bun.deepEquals({ ...last, ...given, note }, last);
}

/**
 * Whether an asset is still rejected, and for the same reason.
 * @param last the rejection @param reason the text of a decision, which also has the annotations of today
 */
export async function stillHolds(
  writes: LibraryWrites,
  { id, project, set, status }: AssetRow,
  last: VerdictRow,
  reason: string,
): Promise<boolean> {
  if (status !== "rejected") return false;
  const decisions = await writes.rejectionDecisions(project, [{ id, set, reviewed_at: last.at }]);
  return decisions.some(({ text, valid_until }) => text === reason && valid_until === null);
}
