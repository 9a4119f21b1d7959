/** Why an asset was rejected: the reviewer's note, open annotations, and failed items of the checklist. */

import { pluralize } from "../../core/lib/quantities.ts";
import { badRequest } from "../../core/problem.ts";
import { summaryOf } from "../../memory/decisions.ts";
import { mustRank, type RejectionLine, rejectionText } from "../annotations/at-verdict.ts";
import { failureLines } from "../checklists/answers.ts";
import type { VerdictRow } from "../rows.ts";

/**
 * @param places the open annotations
 * @returns the note, which counts what is to change if there is none, and the text of the decision
 * @throws {Problem} 400 without a note, an open annotation and a failed item
 */
export function rejectionOf(
  { note, checklist, asset }: Pick<VerdictRow, "note" | "checklist" | "asset">,
  places: readonly RejectionLine[],
): { note: string; reason: string } {
  const failures = failureLines(checklist).map((text) => ({ rank: mustRank, text }));
  const own = noteOf({ note, checklist }, places);
  if (own === "") throw badRequest("note is required to reject: explain what to change.");
  return { note: own, reason: rejectionText(own, [...failures, ...places], asset) };
}

/** The note of a rejection; without one, how much there is to change. Empty if that is nothing. */
export function noteOf(
  { note, checklist }: Pick<VerdictRow, "note" | "checklist">,
  places: readonly RejectionLine[],
): string {
  if (note !== null && summaryOf(note) !== "") return note;
  const failed = failureLines(checklist).length;
  const counted = [
    ...(places.length > 0 ? [`${pluralize(places.length, "place")} to change`] : []),
    ...(failed > 0 ? [`${failed} failed in the checklist`] : []),
  ];
  return counted.join(", ");
}
