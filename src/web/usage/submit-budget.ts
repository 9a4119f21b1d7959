/** Handles the forms that set and remove budgets. */

import { Problem } from "../../core/problem.ts";
import { scopeFields } from "../../feed/budgets/schema.ts";
import { removeBudget, setBudget } from "../../feed/operations/budgets.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { usagePage } from "./page.tsx";

const list = "/usage#budgets";
const fields = [...scopeFields, "period", "amount"];

/** @returns the URL of the budgets; after a 400, 404 or 409 the page with the error and what was typed */
export async function submitBudget(view: View, form: ReadonlyMap<string, string>): Promise<string | Page> {
  const given = Object.fromEntries(fields.map((name) => [name, form.get(name)?.trim() ?? ""]));
  try {
    await callOperation(view, setBudget, { ...given, amount: numberOf(given.amount) });
    return list;
  } catch (error) {
    const isAboutBudget = error instanceof Problem && [400, 404, 409].includes(error.status);
    if (!isAboutBudget || !hasScope(view, "feed:read")) throw error;
    const page = await usagePage(
      { ...view, url: new URL("/usage", view.url) },
      { message: error.detail, given },
    );
    return { ...page, status: error.status };
  }
}

/** @returns the URL of the budgets */
export async function submitBudgetRemoval(view: View): Promise<string> {
  await callOperation(view, removeBudget, { id: numberOf(view.params.id) });
  return list;
}

/** Numbers as numbers. Anything else is passed on, and the operation rejects it. */
const numberOf = (text: string | undefined) => (text && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text);
