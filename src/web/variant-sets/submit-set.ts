/** Handles the review of a variant set. */
import { isolateBidi } from "../../lib/strings/display-text.ts";
import { reviewSet } from "../../operations/review/reviews.ts";
import { badRequest, Problem } from "../../problem.ts";
import type { SetReview } from "../../variant-sets/review-schema.ts";
import { setPath } from "../../variant-sets/set-ref.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { pickedIn, shownField } from "./parameters.ts";
import { variantSetPage } from "./set.tsx";

/**
 * Approves the picked variants and rejects the other ones that the form showed, unless it keeps them. The id
 * of a variant names one file, so a version that was uploaded meanwhile is not reviewed.
 * @returns the URL to redirect to, or the page again with what was refused
 */
export async function submitVariantSet(view: View, form: Map<string, string>): Promise<string | Page> {
  const { slug: project = "", set = "" } = view.params;
  const picked = pickedIn(form);
  const note = form.get("note")?.trim() ?? "";
  const others = form.get("rest") === "reject" ? (form.get(shownField) ?? "").split(",") : [];
  const rejected = others.filter((id) => id && !picked.has(id));
  const variants = [
    ...[...picked].map((id) => ({ id, decision: "approved" })),
    ...rejected.map((id) => ({ id, decision: "rejected" })),
  ];
  const refuse = (messages: string[]) => {
    if (!hasScope(view, "assets:read")) throw badRequest(messages.join(" "));
    return variantSetPage(view, { messages, picked, note });
  };
  try {
    const given = { project, set, variants, ...(note && { note }) };
    const review = await callOperation<SetReview>(view, reviewSet, given);
    const messages = review.reviewed.flatMap(({ error }) => (error ? [isolateBidi(error.detail)] : []));
    if (messages.length > 0) return refuse([...new Set(messages)]);
    return `${setPath(project, set)}${review.decision_id === null ? "" : `?decision=${review.decision_id}`}`;
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    if (variants.length === 0) return refuse(["Pick at least one variant."]);
    if (note === "") return refuse(["Add a note that explains why the others were not picked."]);
    return refuse([error.detail]);
  }
}
