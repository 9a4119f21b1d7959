/** Handles the review of a variant set. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { badRequest, Problem } from "../../core/problem.ts";
import { reviewSet } from "../../library/operations/reviews.ts";
import type { SetReview } from "../../library/variant-sets/schema.ts";
import { setPath } from "../../memory/set-ref.ts";
import { hasScope } from "../layout.tsx";
import { answersOf } from "../verdicts/checklist-fields.tsx";
import { callOperation, type Form, type Page, type View } from "../view.ts";
import { pageField, pickedIn, shownField, turnField } from "./parameters.ts";
import { variantSetPage } from "./set.tsx";

/**
 * Approves the picked variants and rejects the others that the form knew, unless it keeps them; or rejects
 * all. The id of a variant names one file, so a version that was uploaded meanwhile is not reviewed.
 * @returns the URL to redirect to, or the page again with what was refused, or another page of the set
 */
export async function submitVariantSet(view: View, form: Form): Promise<string | Page> {
  const { slug: project = "", set = "" } = view.params;
  const picked = pickedIn(form);
  const note = form.get("note")?.trim() ?? "";
  const checklist = answersOf(form);
  const show = (messages: string[], page: string | undefined) => {
    if (!hasScope(view, "assets:read")) throw badRequest(messages.join(" "));
    return variantSetPage(view, { messages, picked, note, checklist, page: Number(page) });
  };
  if (form.has(turnField)) return show([], form.get(turnField));
  const refuse = (messages: string[]) => show(messages, form.get(pageField));
  const rest = form.get("rest");
  const approved = rest === "all" ? new Set<string>() : picked;
  const others = rest === "keep" ? [] : (form.get(shownField) ?? "").split(",");
  const rejected = others.filter((id) => id && !approved.has(id));
  const variants = [
    ...[...approved].map((id) => ({ id, decision: "approved" })),
    ...rejected.map((id) => ({ id, decision: "rejected" })),
  ];
  try {
    const given = { project, set, variants, ...(note && { note }), ...(approved.size > 0 && { checklist }) };
    const review = await callOperation<SetReview>(view, reviewSet, given);
    const messages = review.reviewed.flatMap(({ error }) => (error ? [isolateBidi(error.detail)] : []));
    if (messages.length > 0) return refuse([...new Set(messages)]);
    return `${setPath(project, set)}${review.decision_id === null ? "" : `?decision=${review.decision_id}`}`;
  } catch (error) {
    if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 409)) throw error;
    if (variants.length === 0) return refuse(["Pick at least one variant."]);
    if (note === "" && rejected.length > 0) return refuse(["Add a note explaining what to change."]);
    return refuse([error.detail]);
  }
}
