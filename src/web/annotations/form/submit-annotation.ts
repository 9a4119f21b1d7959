/** Handles the forms of annotations, on the desk and on other pages that show an asset. */

import { badRequest, type Problem } from "../../../core/problem.ts";
import { type Annotation, states } from "../../../library/annotations/schema.ts";
import { annotateAsset, changeAnnotation } from "../../../library/operations/annotations.ts";
import { deskPage } from "../../desk/desk.tsx";
import { doneParameter, guestAnnotation, guestPath, refusalOf } from "../../desk/guest.tsx";
import { callOperation, type Form, type Guest, type Page, urlWith, type View } from "../../view.ts";
import { markParameter } from "../list-pages.tsx";
import { annotationInput } from "./annotation-input.ts";
import { isPlaceField } from "./place-fields.ts";

/** The input of `changeAnnotation` in a form that edits a draft or sets a state. @throws Problem 400 */
function changeInput(form: Form): Record<string, unknown> {
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
  const { guest } = view;
  try {
    const { n } = await (guest ? annotateAsGuest(view, guest, form) : annotate(view, form));
    const recorded = guest ? { [doneParameter]: "comment" } : {};
    return `${urlWith(deskUrlOf(view), { ...recorded, [markParameter]: `${n}` })}#mark-${n}`;
  } catch (error) {
    const message = refusalOf(view, error, [400, 404, 409]);
    if (message === null) throw error;
    const { status } = error as Problem;
    return { ...(await deskPage(view, { annotation: { message, form: keptFields(form, status) } })), status };
  }
}

function annotate(view: View, form: Form): Promise<Annotation> {
  const work = form.get("do");
  return work === "add" || work === "reply"
    ? callOperation<Annotation>(view, annotateAsset, annotationInput(view.params.id ?? "", form))
    : callOperation<Annotation>(view, changeAnnotation, changeInput(form));
}

async function annotateAsGuest(view: View, guest: Guest, form: Form): Promise<Annotation> {
  const sent = await guestAnnotation(view, guest, form);
  return callOperation<Annotation>(sent.view, annotateAsset, sent.input);
}

/** What the form of a new annotation shows again: its place only if it is still about this file. */
const keptFields = (form: Form, status: number): Form =>
  (form.get("do") ?? "add") === "add"
    ? new Map([...form].filter(([name]) => status === 400 || !isPlaceField(name)))
    : new Map();

/** The page that the form is on: its query is that of the form's URL. */
function deskUrlOf({ url, guest, params }: View): URL {
  const desk = new URL(url);
  desk.pathname = guest ? guestPath(guest) : `/assets/${params.id}`;
  return desk;
}
