/** Why an asset was rejected: the reviewer's note, and the failed items of the checklist. */
import { failureLines } from "../checklists/answers.ts";
import { summaryOf } from "../memory/decisions.ts";
import { badRequest } from "../problem.ts";
import type { VerdictRow } from "./port.ts";

/**
 * @returns the note, by default the number of failed items, and the text of the decision
 * @throws {Problem} 400 without a note and a failed item
 */
export function rejectionOf({ note, checklist }: Pick<VerdictRow, "note" | "checklist">): {
  note: string;
  reason: string;
} {
  const lines = failureLines(checklist);
  const hasNote = summaryOf(note ?? "") !== "";
  if (!hasNote && lines.length === 0) throw badRequest("note is required to reject: explain what to change.");
  const own = hasNote ? (note as string) : `${lines.length} failed in the checklist`;
  return { note: own, reason: [own, ...lines].join("\n") };
}
