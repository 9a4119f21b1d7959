/** What people with a share link send: verdicts and annotations, through the same operations as everyone's. */

import type { Context } from "../../api/context.ts";
import { invoke } from "../../api/operations/invoke.ts";
import type { Operation } from "../../core/operation.ts";
import { badRequest, conflict, Problem, type Status } from "../../core/problem.ts";
import type { Annotation } from "../../library/annotations/schema.ts";
import type { AnswersInput } from "../../library/checklists/schema.ts";
import { annotateAsset } from "../../library/operations/annotations.ts";
import { reviewAsset } from "../../library/operations/assets.ts";
import { guestActor, guestCaller, guestName } from "../../library/shares/guest.ts";
import { shownAnnotations } from "../../library/shares/shown-annotations.ts";
import { type OpenShare, OtherReviewer, withVisit } from "../../library/shares/visits.ts";
import { annotationInput } from "../annotations/form/annotation-input.ts";
import { markParameter } from "../annotations/list-pages.tsx";
import { answersOf } from "../verdicts/checklist-fields.tsx";
import { urlWith } from "../view.ts";
import { doneParameter } from "./notices.ts";

export type FormKind = "verdict" | "comment";
type Form = Map<string, string>;

/** A form that was refused: the error, and what was typed. */
export interface RefusedForm {
  kind: FormKind;
  status: Status;
  message: string;
  form: ReadonlyMap<string, string>;
  checklist: AnswersInput | undefined;
}

/** A form that was sent. */
export interface Submission {
  open: OpenShare;
  form: Form;
  /** URL of the request. */
  url: URL;
  /** Thrown if the share has ended. */
  gone: Problem;
}

const changed = "This version was reviewed or replaced since you opened it. Reload the page to see it.";

/** @returns the hash of the file that the form is about @throws {Problem} 409 if another one is shown now */
function shownHash({ asset }: OpenShare, form: Form): string {
  const sha256 = form.get("sha256");
  if (!sha256) throw badRequest("The form has no hash of the file. Reload the page.");
  if (sha256 !== asset.sha256) throw conflict(changed);
  return sha256;
}

const invokeAs = (ctx: Context, { share }: OpenShare, operation: Operation, input: object) => {
  const given = Object.entries(input).filter(([, value]) => value != null && value !== "");
  return invoke(operation, ctx, guestCaller(share), () => new Map(given));
};

/**
 * Records a verdict in the name that was typed.
 * @returns the URL of the page to redirect to
 * @throws {Problem} 400 for a missing name or note, 409 if the asset changed, and `gone` if the share ended
 */
export async function submitVerdict(ctx: Context, { open, form, gone }: Submission): Promise<string> {
  const { share, asset } = open;
  const decision = form.get("decision");
  if (decision !== "approved" && decision !== "rejected") throw badRequest("Choose Approve or Reject.");
  const name = guestName(form.get("name") ?? "");
  const sha256 = shownHash(open, form);
  if (asset.status !== "pending") throw conflict(changed);
  const recorded = withVisit(ctx, open, decision, name, gone);
  await invokeAs(recorded, open, reviewAsset, {
    id: asset.id,
    decision,
    sha256,
    seen_status: "pending",
    by: guestActor(name),
    note: form.get("note")?.trim(),
    checklist: answersOf(form),
  });
  return `/s/${share.id}?${doneParameter}=verdict`;
}

/**
 * Adds an annotation, which the team sees immediately, or a reply to one that the share shows.
 * @returns as `submitVerdict` @throws {Problem} as `submitVerdict`
 */
export async function submitAnnotation(ctx: Context, submission: Submission): Promise<string> {
  const { open, form, url, gone } = submission;
  const name = guestName(form.get("name") ?? "");
  const input = annotationInput(open.asset.id, form);
  if (!input.body) throw badRequest("Type a comment.");
  if (input.parent_id === undefined) shownHash(open, form);
  else if (!(await shownAnnotations(ctx, open)).some(({ id }) => id === input.parent_id)) throw gone;
  const recorded = withVisit(ctx, open, "commented", name, gone);
  const by = guestActor(name);
  const { n } = (await invokeAs(recorded, open, annotateAsset, { ...input, draft: false, by })) as Annotation;
  const page = new URL(`/s/${open.share.id}${url.search}`, url);
  return `${urlWith(page, { [doneParameter]: "comment", [markParameter]: `${n}` })}#mark-${n}`;
}

/** What the page says of a refusal. The team's own messages of conflicts name reviewers, so they stay out. */
export function refusedForm(error: unknown, kind: FormKind, form: Form): RefusedForm | null {
  if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 409)) return null;
  const { status } = error;
  return {
    kind,
    status,
    form,
    checklist: answersOf(form),
    message: status === 400 || error instanceof OtherReviewer ? error.detail : changed,
  };
}
