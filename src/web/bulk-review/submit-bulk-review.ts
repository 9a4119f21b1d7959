/** Handles the form that reviews many assets, as it is sent without scripts. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { badRequest, Problem } from "../../core/problem.ts";
import { reviewAsset } from "../../library/operations/assets.ts";
import { hasScope } from "../layout.tsx";
import { pickedIn } from "../variant-sets/parameters.ts";
import { answersOf } from "../verdicts/checklist-fields.tsx";
import { callOperation, type Form, filtersOf, type Page, type View } from "../view.ts";
import { bulkReviewPage } from "./bulk-review.tsx";
import {
  approvedParameter,
  approveField,
  bulkFilters,
  bulkPath,
  decisionField,
  groupField,
  rejectedParameter,
  rejectField,
} from "./parameters.ts";

interface Decision {
  decision: "approved" | "rejected";
  ids: string[];
}

/**
 * Each is a review of its own: one that was decided meanwhile is refused, and the others are not. The id of
 * an asset names one file, so a version that was uploaded meanwhile is not reviewed.
 * @returns the URL to redirect to, or the page again with what was refused
 */
export async function submitBulkReview(view: View, form: Form): Promise<string | Page> {
  const note = form.get("note")?.trim() ?? "";
  const { decision, ids } = decisionOf(form);
  const checklist = answersOf(form);
  const refuse = (messages: string[], picked: readonly string[]) => {
    if (!hasScope(view, "assets:read")) throw badRequest(messages.join(" "));
    return bulkReviewPage(view, { messages, picked: new Set(picked), note, checklist });
  };
  if (ids.length === 0) return refuse(["Select at least one asset."], []);
  if (decision === "rejected" && note === "") return refuse(["Add a note explaining what to change."], ids);
  const refused = new Map<string, string>();
  for (const id of ids) {
    try {
      await callOperation(view, reviewAsset, {
        id,
        seen_status: "pending",
        decision,
        note,
        ...(decision === "approved" && { checklist }),
      });
    } catch (error) {
      if (!(error instanceof Problem) || ![400, 404, 409].includes(error.status)) throw error;
      refused.set(id, isolateBidi(error.detail));
    }
  }
  if (refused.size > 0) {
    const messages = [...Map.groupBy(refused.values(), (text) => text)];
    return refuse(
      messages.map(([text, all]) => (all.length === 1 ? text : `${all.length} assets: ${text}`)),
      [...refused.keys()],
    );
  }
  const name = decision === "approved" ? approvedParameter : rejectedParameter;
  const filters = filtersOf(view.url, bulkFilters);
  return `${bulkPath}?${new URLSearchParams({ ...filters, [name]: String(ids.length) })}`;
}

/** About a group without what is picked in it, if its button was pressed, or about what is picked. */
function decisionOf(form: Form): Decision {
  const approved = form.get(approveField);
  const group = approved ?? form.get(rejectField);
  if (group === undefined)
    return {
      decision: form.get(decisionField) === "approved" ? "approved" : "rejected",
      ids: [...pickedIn(form)],
    };
  const picked = pickedIn(form);
  const ids = (form.get(groupField(Number(group))) ?? "").split(",").filter((id) => id && !picked.has(id));
  return { decision: approved === undefined ? "rejected" : "approved", ids };
}
