/** @jsxImportSource preact */
/** The form for the verdict of a person with a share link. */
import type { ChecklistRow, VerdictRow } from "../../library/rows.ts";
import type { OpenShare } from "../../library/shares/visits.ts";
import { NameField } from "../annotations/form/sender-fields.tsx";
import { CsrfField } from "../layout.tsx";
import { ChecklistFields } from "../verdicts/checklist-fields.tsx";
import type { RefusedForm } from "./submit-guest-form.ts";

interface VerdictFormProps {
  open: OpenShare;
  checklist: ChecklistRow | null;
  /** The last verdict of this link on this version. */
  own: VerdictRow | null;
  refused: RefusedForm | undefined;
}

export const VerdictForm = ({ open, checklist, own, refused }: VerdictFormProps) => (
  <section class="review-panel">
    <h2>Your review</h2>
    {refused && (
      <p class="notice" role="alert">
        {refused.message}
      </p>
    )}
    {open.asset.status === "pending" ? (
      <>
        {own && (
          <p class="soft">
            You {own.decision} this version. Others still decide; you can change your review.
          </p>
        )}
        <form method="post" action={`/s/${open.share.id}/verdict`} class="stack">
          <ChecklistFields state={{ checklist, own }} given={refused?.checklist} />
          <label>
            Note
            <textarea name="note" rows={4} maxLength={4096} aria-describedby="note-goes">
              {refused?.form.get("note")}
            </textarea>
          </label>
          <p class="soft" id="note-goes">
            To reject, say what to change: in this note, or as annotations.
          </p>
          <CsrfField token={open.session.csrf} />
          <input type="hidden" name="sha256" value={open.asset.sha256} />
          <div id="guest">
            <NameField name={open.name} />
          </div>
          <p class="soft">The team sees your name as you type it, marked as not verified.</p>
          <p class="buttons">
            <button class="primary" name="decision" value="approved" type="submit">
              Approve
            </button>
            <button class="danger" name="decision" value="rejected" type="submit">
              Reject
            </button>
          </p>
        </form>
      </>
    ) : (
      <p class="soft">This version was reviewed: {open.asset.status}.</p>
    )}
  </section>
);
