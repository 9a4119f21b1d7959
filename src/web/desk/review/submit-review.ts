/** Handles the review form, of guests and without scripts, and the form that asks for a review. */

import { fromMicros } from "../../../core/lib/time.ts";
import type { Problem } from "../../../core/problem.ts";
import type { Asset } from "../../../library/assets/schema.ts";
import { reviewAsset } from "../../../library/operations/assets.ts";
import { requestReview } from "../../../library/operations/reviews.ts";
import { filterQuery } from "../../assets/filters.tsx";
import { hasScope } from "../../layout.tsx";
import { answersOf } from "../../verdicts/checklist-fields.tsx";
import { callOperation, type Form, orRefusal, type Page, type View } from "../../view.ts";
import { deskPage } from "../desk.tsx";
import { guestReview, refusalOf } from "../guest.tsx";
import { urlAfterVerdict } from "../guest-queue.tsx";
import { loadQueue } from "../queue.ts";
import { dues, hourMicros } from "./review-request.tsx";

/** The form's fields other than the note. */
const fields = ["decision", "sha256", "seen_status", "seen_reviewed_at"];

/**
 * Saves a review. Returns the URL to redirect to: the next asset in the queue, if the visitor may read
 * assets; for a guest, the page of the share. After a 400 or 409 it returns the review desk again, with the
 * error and the note.
 */
export async function submitReview(view: View, form: Form): Promise<string | Page> {
  const { guest } = view;
  const id = view.params.id ?? "";
  const note = form.get("note")?.trim();
  const checklist = answersOf(form);
  const given = Object.fromEntries(fields.map((name) => [name, form.get(name)]));
  const canRead = hasScope(view, "assets:read");
  try {
    const sent = guest ? guestReview(view, guest, form) : { view, input: {} };
    await callOperation<Asset>(sent.view, reviewAsset, { id, note, checklist, ...given, ...sent.input });
  } catch (error) {
    const message = refusalOf(view, error, [400, 409]);
    if (message === null || !(canRead || guest)) throw error;
    const page = await deskPage(view, { review: { message, note: note ?? "", checklist } });
    return { ...page, status: (error as Problem).status };
  }
  if (guest) return urlAfterVerdict(view.ctx, guest);
  if (view.url.searchParams.get("from") === "today") return `/?${new URLSearchParams({ reviewed: id })}`;
  const next = canRead ? (await loadQueue(view, id)).next : null;
  return `/assets${next ? `/${next.id}` : ""}${filterQuery(view.url, { reviewed: id })}`;
}

/** @returns the URL to redirect to or, after a 400 or 409, the desk with the error */
export async function submitReviewRequest(view: View, form: Form): Promise<string | Page> {
  const id = view.params.id ?? "";
  const names = (form.get("reviewers") ?? "").split(",").map((name) => name.trim());
  const hours = Number(form.get("due"));
  const work = async () => {
    await callOperation(view, requestReview, {
      id,
      reviewers: names.filter(Boolean),
      question: form.get("question")?.trim(),
      ...(Object.hasOwn(dues, hours) && { due_at: fromMicros(view.ctx.now() + hours * hourMicros) }),
    });
    return `/assets/${id}`;
  };
  return orRefusal([400, 409], work, (message) => deskPage(view, { review: { message, note: "" } }));
}
