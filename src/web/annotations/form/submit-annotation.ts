/** Handles the forms of annotations, on the desk and on other pages that show an asset. */

import { badRequest, Problem } from "../../../core/problem.ts";
import { type Annotation, states } from "../../../library/annotations/schema.ts";
import { annotateAsset, changeAnnotation } from "../../../library/operations/annotations.ts";
import { deskPage } from "../../desk/desk.tsx";
import { callOperation, type Page, urlWith, type View } from "../../view.ts";
import { markParameter } from "../list-pages.tsx";
import { annotationInput } from "./annotation-input.ts";

type Form = Map<string, string>;

/** The input of `changeAnnotation` in a form that edits a draft or sets a state. @throws Problem 400 */
export function changeInput(form: Form): Record<string, unknown> {
  const id = form.get("annotation");
  const work = form.get("do");
  if (work === "save") return { id, body: form.get("body")?.trim(), weight: form.get("weight") };
  if (states.some((state) => state === work)) return { id, state: work };
  throw badRequest("Unknown action. Reload the page and try again.");
}

/**
 * Saves an annotation, a reply, a change or a state.
 * @returns the URL to redirect to or, after a 400, 404 or 409, the desk with the error
 */
export async function submitAnnotation(view: View, form: Form): Promise<string | Page> {
  const id = view.params.id ?? "";
  const work = form.get("do");
  const isNew = work === "add" || work === "reply";
  try {
    const saved = isNew
      ? await callOperation<Annotation>(view, annotateAsset, annotationInput(id, form))
      : await callOperation<Annotation>(view, changeAnnotation, changeInput(form));
    return `${urlWith(deskUrlOf(view, id), { [markParameter]: `${saved.n}` })}#mark-${saved.n}`;
  } catch (error) {
    if (!(error instanceof Problem) || ![400, 404, 409].includes(error.status)) throw error;
    const refused = { message: error.detail, form: work === "add" ? form : new Map<string, string>() };
    return { ...(await deskPage(view, undefined, refused)), status: error.status };
  }
}

/** The page that the form is on: its query is that of the form's URL. */
function deskUrlOf({ url }: View, id: string): URL {
  const desk = new URL(url);
  desk.pathname = `/assets/${id}`;
  return desk;
}
