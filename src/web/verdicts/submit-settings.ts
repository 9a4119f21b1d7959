/** Handles the forms of the review settings. */

import type { Operation } from "../../core/operation.ts";
import { itemsOfLines } from "../../library/checklists/items.ts";
import { setChecklist } from "../../library/operations/checklists.ts";
import { setRepeatPolicy } from "../../library/operations/repeats.ts";
import { setReviewPolicy } from "../../library/operations/review-policies.ts";
import { callOperation, type Form, orRefusal, type Page, type View } from "../view.ts";
import { refusalOfLine, rolesOf } from "./policy-form.tsx";
import { type RefusedSetting, reviewSettingsPage } from "./review-settings.tsx";

/** @returns the URL of the settings; after a 400 the page with the error and what was typed */
function submit(
  view: View,
  op: Operation,
  input: Record<string, unknown>,
  given: Pick<RefusedSetting, "roles" | "items">,
): Promise<string | Page> {
  const { slug = "", kind = "" } = view.params;
  const work = async () => {
    await callOperation(view, op, { slug, kind, ...input });
    return `/projects/${slug}/review`;
  };
  return orRefusal([400], work, (why) =>
    reviewSettingsPage(view, { kind, message: refusalOfLine(why), ...given }),
  );
}

export function submitPolicy(view: View, form: Form): Promise<string | Page> {
  const roles = rolesOf(form);
  const need = roles.map(({ role, count }) => ({ role, count: Number(count) }));
  return submit(view, setReviewPolicy, { need }, { roles });
}

/** @returns the URL of the settings */
export async function submitRepeatPolicy(view: View, form: Form): Promise<string> {
  const { slug = "" } = view.params;
  await callOperation(view, setRepeatPolicy, { slug, refuse: form.get("repeats") === "refuse" });
  return `/projects/${slug}/review`;
}

export function submitChecklist(view: View, form: Form): Promise<string | Page> {
  const items = form.get("items") ?? "";
  return submit(view, setChecklist, { items: itemsOfLines(items) }, { items });
}
