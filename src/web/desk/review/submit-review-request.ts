/** Handles the form that asks for a review. */

import { fromMicros } from "../../../core/lib/time.ts";
import { Problem } from "../../../core/problem.ts";
import { requestReview } from "../../../library/operations/reviews.ts";
import { callOperation, type Page, type View } from "../../view.ts";
import { deskPage } from "../desk.tsx";
import { dues, hourMicros } from "./review-request.tsx";

/** @returns the URL to redirect to or, after a 400 or 409, the desk with the error */
export async function submitReviewRequest(view: View, form: Map<string, string>): Promise<string | Page> {
  const id = view.params.id ?? "";
  const names = (form.get("reviewers") ?? "").split(",").map((name) => name.trim());
  const hours = Number(form.get("due"));
  try {
    await callOperation(view, requestReview, {
      id,
      reviewers: names.filter(Boolean),
      question: form.get("question")?.trim(),
      ...(Object.hasOwn(dues, hours) && { due_at: fromMicros(view.ctx.now() + hours * hourMicros) }),
    });
  } catch (error) {
    if (!(error instanceof Problem) || (error.status !== 409 && error.status !== 400)) throw error;
    return {
      ...(await deskPage(view, { review: { message: error.detail, note: "" } })),
      status: error.status,
    };
  }
  return `/assets/${id}`;
}
