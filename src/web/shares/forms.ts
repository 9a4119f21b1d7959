/** What people with a share link send: verdicts and comments, through the same operations as everyone's. */
import type { AnswersInput } from "../../checklists/schema.ts";
import type { Context } from "../../context.ts";
import { reviewAsset } from "../../operations/assets.ts";
import { invoke } from "../../operations/invoke.ts";
import { annotateAsset } from "../../operations/review/annotations.ts";
import { badRequest, conflict, Problem, type Status } from "../../problem.ts";
import { guestActor, guestCaller, guestName } from "../../shares/guest.ts";
import { type OpenShare, OtherReviewer, withVisit } from "../../shares/visits.ts";
import { answersOf } from "../verdicts/checklist-fields.tsx";

export type GuestForm = ReadonlyMap<string, string>;

/** A form that was refused: the error, and what was typed. */
export interface RefusedForm {
  form: "verdict" | "comment";
  status: Status;
  message: string;
  name: string;
  text: string;
  checklist: AnswersInput | undefined;
}

const changed = "This version was reviewed or replaced since you opened it. Reload the page to see it.";

/** The typed name, if the form is about the file that is shared now. @throws {Problem} 400 or 409 */
function checkForm({ asset }: OpenShare, form: GuestForm): { name: string; sha256: string } {
  const name = guestName(form.get("name") ?? "");
  const sha256 = form.get("sha256");
  if (!sha256) throw badRequest("The form has no hash of the file. Reload the page.");
  if (sha256 !== asset.sha256) throw conflict(changed);
  return { name, sha256 };
}

/**
 * Records a verdict in the name that was typed.
 * @throws {Problem} 400 for a missing name or note, 409 if the asset changed, and `gone` if the share ended
 */
export async function submitVerdict(
  ctx: Context,
  open: OpenShare,
  form: GuestForm,
  gone: Problem,
): Promise<void> {
  const { share, asset } = open;
  const decision = form.get("decision");
  if (decision !== "approved" && decision !== "rejected") throw badRequest("Choose Approve or Reject.");
  const { name, sha256 } = checkForm(open, form);
  if (asset.status !== "pending") throw conflict(changed);
  const [note, checklist] = [form.get("note")?.trim(), answersOf(form)];
  const input = {
    ...{ id: asset.id, decision, sha256, seen_status: "pending", by: guestActor(name) },
    ...(note && { note }),
    ...(checklist && { checklist }),
  };
  const recorded = withVisit(ctx, open, decision, name, gone);
  await invoke(reviewAsset, recorded, guestCaller(share), () => new Map(Object.entries(input)));
}

/** Adds a comment on the whole asset. @throws {Problem} as `submitVerdict` */
export async function submitComment(
  ctx: Context,
  open: OpenShare,
  form: GuestForm,
  gone: Problem,
): Promise<void> {
  const { share, asset } = open;
  const { name, sha256 } = checkForm(open, form);
  const body = form.get("text")?.trim();
  if (!body) throw badRequest("Type a comment.");
  const input = { id: asset.id, body, weight: "should", sha256, by: guestActor(name) };
  const recorded = withVisit(ctx, open, "commented", name, gone);
  await invoke(annotateAsset, recorded, guestCaller(share), () => new Map(Object.entries(input)));
}

/** What the page says of a refusal. The team's own messages of conflicts name reviewers, so they stay out. */
export function refusedForm(error: unknown, kind: RefusedForm["form"], form: GuestForm): RefusedForm | null {
  if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 409)) return null;
  return {
    form: kind,
    status: error.status,
    message: error.status === 400 || error instanceof OtherReviewer ? error.detail : changed,
    name: form.get("name") ?? "",
    text: form.get(kind === "verdict" ? "note" : "text") ?? "",
    checklist: answersOf(form),
  };
}
