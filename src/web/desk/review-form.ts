/** Handles the review form when it is sent without scripts. */
import type { Asset } from "../../assets/schema.ts";
import { reviewAsset } from "../../operations/assets.ts";
import { Problem } from "../../problem.ts";
import { filterQuery } from "../asset.tsx";
import { maySay } from "../layout.tsx";
import { ask, type Page, type View } from "../view.ts";
import { deskPage } from "./desk.tsx";
import { queueAround } from "./queue.tsx";

/** The form's fields besides the note. */
const fields = ["decision", "sha256", "seen_status", "seen_reviewed_at"];

/**
 * Saves a review. Returns the URL to redirect to: the next asset in the queue, if the visitor may read assets.
 * If the review is rejected with a 400 or 409, returns the review page again, with the error and the note.
 */
export async function reviewForm(view: View, form: Map<string, string>): Promise<string | Page> {
  const id = view.params.id ?? "";
  const note = form.get("note")?.trim();
  const given = Object.fromEntries(fields.map((name) => [name, form.get(name)]));
  const canRead = maySay(view, "assets:read");
  try {
    await ask<Asset>(view, reviewAsset, { id, note, ...given });
  } catch (error) {
    const isAboutReview = error instanceof Problem && (error.status === 409 || error.status === 400);
    if (!isAboutReview || !canRead) throw error;
    return { ...(await deskPage(view, { why: error.detail, note: note ?? "" })), status: error.status };
  }
  const next = canRead ? (await queueAround(view, id)).next : null;
  return `/assets${next ? `/${next.id}` : ""}${filterQuery(view.url, { reviewed: id })}`;
}
