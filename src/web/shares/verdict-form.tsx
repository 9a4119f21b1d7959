/** @jsxImportSource preact */
/** The verdict of a person with a share link: the form, and what happens with it. */
import type { Context } from "../../context.ts";
import { reviewAsset } from "../../operations/assets.ts";
import { invoke } from "../../operations/invoke.ts";
import { badRequest, conflict, Problem, type Status } from "../../problem.ts";
import { guestCaller, guestName } from "../../shares/guest.ts";
import { type OpenShare, OtherReviewer, withVisit } from "../../shares/visits.ts";
import { CsrfField } from "../layout.tsx";

/** A verdict that was not recorded: the error, and what was typed. */
export interface RefusedVerdict {
  status: Status;
  message: string;
  name: string;
  note: string;
}

interface VerdictFormProps {
  open: OpenShare;
  refused: RefusedVerdict | undefined;
}

export function VerdictForm({ open: { share, asset, session }, refused }: VerdictFormProps) {
  return (
    <section class="review-panel">
      <h2>Your verdict</h2>
      {refused && (
        <p class="notice" role="alert">
          {refused.message}
        </p>
      )}
      {asset.status === "pending" ? (
        <form method="post" action={`/s/${share.id}/verdict`} class="stack">
          <CsrfField token={session.csrf} />
          <input type="hidden" name="sha256" value={asset.sha256} />
          <label>
            Your name
            <input
              name="name"
              required
              maxLength={64}
              autocomplete="name"
              value={refused?.name ?? share.reviewer ?? ""}
              aria-describedby="name-goes"
            />
          </label>
          <p class="soft" id="name-goes">
            The team sees it as you type it, marked as not verified.
          </p>
          <label>
            Note
            <textarea name="note" rows={4} maxLength={4096} aria-describedby="note-goes">
              {refused?.note}
            </textarea>
          </label>
          <p class="soft" id="note-goes">
            To reject, say what to change.
          </p>
          <p class="buttons">
            <button class="primary" name="decision" value="approved" type="submit">
              Approve
            </button>
            <button class="danger" name="decision" value="rejected" type="submit">
              Reject
            </button>
          </p>
        </form>
      ) : (
        <p class="soft">This version was reviewed: {asset.status}.</p>
      )}
    </section>
  );
}

const changed = "This version was reviewed or replaced since you opened it. Reload the page to see it.";

/**
 * Records a verdict through the same operation as every other, in the name that was typed.
 * @throws {Problem} 400 for a missing name or note, 409 if the asset changed, and `gone` if the share ended
 */
export async function submitVerdict(
  ctx: Context,
  open: OpenShare,
  form: ReadonlyMap<string, string>,
  gone: Problem,
): Promise<void> {
  const { share, asset } = open;
  const decision = form.get("decision");
  if (decision !== "approved" && decision !== "rejected") throw badRequest("Choose Approve or Reject.");
  const name = guestName(form.get("name") ?? "");
  const sha256 = form.get("sha256");
  if (!sha256) throw badRequest("The form has no hash of the file. Reload the page.");
  if (asset.status !== "pending" || sha256 !== asset.sha256) throw conflict(changed);
  const note = form.get("note")?.trim();
  const input = new Map(
    Object.entries({ id: asset.id, decision, sha256, seen_status: "pending", ...(note && { note }) }),
  );
  const recorded = withVisit(ctx, open, decision, name, gone);
  await invoke(reviewAsset, recorded, guestCaller(share, name), () => input);
}

/** What the page says of a verdict that was refused. The team's own messages name reviewers, so they stay out. */
export function refusedVerdict(error: unknown, form: ReadonlyMap<string, string>): RefusedVerdict | null {
  if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 409)) return null;
  const isOwn = error.status === 400 || error instanceof OtherReviewer;
  return {
    status: error.status,
    message: isOwn ? error.detail : changed,
    name: form.get("name") ?? "",
    note: form.get("note") ?? "",
  };
}
