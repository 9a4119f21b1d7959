/** What the form that adds an annotation or a reply sends to its operation. */
import { targetOf } from "./place-fields.ts";

/** The input of `annotateAsset`. @throws Problem 400 */
export function annotationInput(id: string, form: ReadonlyMap<string, string>): Record<string, unknown> {
  const body = form.get("body")?.trim();
  if (form.get("do") === "reply") return { id, body, parent_id: form.get("annotation") ?? "" };
  const target = targetOf(form) ?? undefined;
  return { id, body, target, weight: form.get("weight"), sha256: form.get("sha256"), draft: true };
}
