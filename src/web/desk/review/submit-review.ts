/** Handles the review form when it is sent without scripts. */

import { Problem } from "../../../core/problem.ts";
import type { Asset } from "../../../library/assets/schema.ts";
import { reviewAsset } from "../../../library/operations/assets.ts";
import { filterQuery } from "../../assets/asset.tsx";
import { hasScope } from "../../layout.tsx";
import { answersOf } from "../../verdicts/checklist-fields.tsx";
import { callOperation, type Page, type View } from "../../view.ts";
import { deskPage } from "../desk.tsx";
import { loadQueue } from "../queue.tsx";

/** The form's fields other than the note. */
const fields = ["decision", "sha256", "seen_status", "seen_reviewed_at"];

/**
 * Saves a review. Returns the URL to redirect to: the next asset in the queue, if the visitor may read
 * assets. After a 400 or 409 it returns the review desk again, with the error and the note.
 */
export async function submitReview(view: View, form: Map<string, string>): Promise<string | Page> {
  const id = view.params.id ?? "";
  const note = form.get("note")?.trim();
  const checklist = answersOf(form);
  const given = Object.fromEntries(fields.map((name) => [name, form.get(name)]));
  const canRead = hasScope(view, "assets:read");
  try {
    await callOperation<Asset>(view, reviewAsset, { id, note, checklist, ...given });
  } catch (error) {
    const isAboutReview = error instanceof Problem && (error.status === 409 || error.status === 400);
    if (!isAboutReview || !canRead) throw error;
    return {
      ...(await deskPage(view, { message: error.detail, note: note ?? "", checklist })),
      status: error.status,
    };
  }
  const next = canRead ? (await loadQueue(view, id)).next : null;
  return `/assets${next ? `/${next.id}` : ""}${filterQuery(view.url, { reviewed: id })}`;
}
