/** Handles the forms of the review settings. */

import type { Operation } from "../../core/operation.ts";
import { badRequest, Problem } from "../../core/problem.ts";
import { itemsOfLines } from "../../library/checklists/items.ts";
import { setChecklist } from "../../library/operations/checklists.ts";
import { setRepeatPolicy } from "../../library/operations/repeats.ts";
import { setReviewPolicy } from "../../library/operations/review-policies.ts";
import { readRoleCounts } from "../../library/verdicts/text.ts";
import { callOperation, type Page, type View } from "../view.ts";
import { type RefusedSetting, reviewSettingsPage } from "./review-settings.tsx";

/** @returns the URL of the settings; after a 400 the page with the error and what was typed */
async function submit(
  view: View,
  op: Operation,
  field: RefusedSetting["field"],
  given: string,
  read: (text: string) => unknown,
): Promise<string | Page> {
  const { slug = "", kind = "" } = view.params;
  try {
    await callOperation(view, op, { slug, kind, [field]: read(given) });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    const page = await reviewSettingsPage(view, { kind, field, message: error.detail, given });
    return { ...page, status: error.status };
  }
  return `/projects/${slug}/review`;
}

export const submitPolicy = (view: View, form: ReadonlyMap<string, string>): Promise<string | Page> =>
  submit(view, setReviewPolicy, "need", form.get("need") ?? "", (text) => {
    const need = readRoleCounts(text.split(/[\s,]+/).filter(Boolean));
    if (need === null) throw badRequest("Write roles with their counts, such as design=1, legal=2.");
    return need;
  });

/** @returns the URL of the settings */
export async function submitRepeatPolicy(view: View, form: ReadonlyMap<string, string>): Promise<string> {
  const { slug = "" } = view.params;
  await callOperation(view, setRepeatPolicy, { slug, refuse: form.get("repeats") === "refuse" });
  return `/projects/${slug}/review`;
}

export const submitChecklist = (view: View, form: ReadonlyMap<string, string>): Promise<string | Page> =>
  submit(view, setChecklist, "items", form.get("items") ?? "", itemsOfLines);
