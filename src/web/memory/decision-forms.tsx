/** The forms that record, replace, reword, and retire decisions. They work without scripts. */
import { reviewSource, setOfRef } from "../../memory/set-ref.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { hasScope, MissingScope, PostForm, Select, Submit } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import type { View } from "../view.ts";
import { decisionUrl } from "./decision-list.tsx";
import { FilesForm } from "./files.tsx";

/** A decision that was not saved: the error, and what was typed. */
export interface RefusedDecision {
  message: string;
  project?: string | undefined;
  text: string;
  source_ref: string;
}

export const Refusal = ({ refused }: { refused: Pick<RefusedDecision, "message"> | undefined }) =>
  refused ? <Notice text={refused.message} /> : null;

interface FieldsProps {
  refused: RefusedDecision | undefined;
  /** Text to start from. */
  text?: string;
}

const Fields = ({ refused, text = "" }: FieldsProps) => (
  <>
    <label>
      Decision
      <textarea name="text" rows={4} maxLength={4096} required aria-describedby="decision-hint">
        {refused?.text ?? text}
      </textarea>
    </label>
    <p class="soft" id="decision-hint">
      What applies from now on, and why. Agents get it in their briefs.
    </p>
    <label>
      Decided in{" "}
      <input
        name="source_ref"
        maxLength={512}
        value={refused?.source_ref ?? ""}
        placeholder="URL or task (optional)"
      />
    </label>
  </>
);

interface RecordProps {
  view: View;
  slugs: string[];
  project: string | undefined;
  refused: RefusedDecision | undefined;
}

export function RecordForm({ view, slugs, project, refused }: RecordProps) {
  if (!hasScope(view, "memory:write"))
    return <MissingScope view={view} scope="memory:write" to="record a decision" />;
  return (
    <details class="decide" open={refused !== undefined}>
      <summary>Record a decision</summary>
      <Refusal refused={refused} />
      <PostForm view={view} action="/memory/decisions" class="stack">
        {slugs.length > 0 ? (
          <Select name="project" label="Project" value={project ?? slugs[0]} options={slugs} hasAll={false} />
        ) : (
          <label>
            Project <input name="project" required value={project ?? ""} />
          </label>
        )}
        <Fields refused={refused} />
        <Submit text="Record" isPrimary />
      </PostForm>
    </details>
  );
}

interface ChangeProps {
  view: View;
  decision: DecisionDetail;
  refused: RefusedDecision | undefined;
}

/** Whether the visitor may change the words of a decision: it is that of a rejected version. */
export const canReword = (
  view: View,
  { source, source_ref }: Pick<DecisionDetail, "source" | "source_ref">,
) => source === reviewSource && setOfRef(source_ref) === null && hasScope(view, "assets:review");

interface RewordProps {
  view: View;
  decision: DecisionDetail;
  /** What was typed and not saved. */
  text?: string | undefined;
  /** Whether the form is on the page of the asset, which it leads back to. */
  isAtAsset?: boolean;
}

const rowsMax = 8;

/** The words of a rejection, to change. */
export const RewordForm = ({ view, decision, text = decision.text, isAtAsset = false }: RewordProps) => (
  <PostForm view={view} class="stack reword" action={`${decisionUrl(decision)}/reword`} data-id={decision.id}>
    {isAtAsset && <input type="hidden" name="asset" value="" />}
    <textarea
      name="text"
      rows={Math.min(rowsMax, Math.max(2, text.split("\n").length))}
      maxLength={4096}
      required
      aria-label="The words of the decision"
    >
      {text}
    </textarea>
    <p class="buttons">
      <button type="submit">Save these words</button>
      <span class="soft" role="status">
        The note of the review stays.
      </span>
    </p>
  </PostForm>
);

/** The forms of a current decision: change its words, replace it, or retire it. */
export function ChangeForms({ view, decision, refused }: ChangeProps) {
  if (canReword(view, decision) && !hasScope(view, "memory:write"))
    return <RewordForm view={view} decision={decision} text={refused?.text} />;
  if (!hasScope(view, "memory:write"))
    return <MissingScope view={view} scope="memory:write" to="replace or retire this decision" />;
  return (
    <>
      {canReword(view, decision) ? (
        <RewordForm view={view} decision={decision} text={refused?.text} />
      ) : (
        <details class="decide" open={refused !== undefined}>
          <summary>Replace with a new decision</summary>
          <PostForm view={view} action={`${decisionUrl(decision)}/supersede`} class="stack">
            <input type="hidden" name="project" value={decision.project} />
            <Fields refused={refused} text={decision.text} />
            <Submit text="Replace" isPrimary />
          </PostForm>
        </details>
      )}
      <details class="decide">
        <summary>Change the files it speaks of</summary>
        <FilesForm view={view} decision={decision} />
      </details>
      <details class="decide">
        <summary>Retire without a replacement</summary>
        <PostForm view={view} action={`${decisionUrl(decision)}/retire`} class="stack">
          <p class="soft">
            Briefs and recall stop using it. It stays in the history. This cannot be undone, but you can
            record it again.
          </p>
          <p class="buttons">
            <button type="submit" class="danger">
              Retire
            </button>
          </p>
        </PostForm>
      </details>
    </>
  );
}
