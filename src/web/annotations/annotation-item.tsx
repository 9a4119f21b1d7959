/** One annotation in the list: its number, place and text, its replies, and what the visitor may do with it. */

import { actorName } from "../../core/auth/actor-name.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Annotation, State } from "../../library/annotations/schema.ts";
import { placeLabel } from "../../library/annotations/text.ts";
import { isRedactionNotice } from "../../library/removals/notice.ts";
import { Actor } from "../actor.tsx";
import { CsrfField } from "../layout.tsx";
import { takeBackUrl } from "../removals/take-back-page.tsx";
import { Time } from "../time.tsx";
import type { AnnotationForms } from "./asset-annotations.ts";
import { WeightField } from "./form/annotation-form.tsx";
import { SenderFields } from "./form/sender-fields.tsx";

interface ItemProps {
  annotation: Annotation;
  replies: Annotation[];
  forms: AnnotationForms;
}

export const AnnotationItem = ({ annotation, replies, forms }: ItemProps) => (
  <li id={`mark-${annotation.n}`} class={`mark ${annotation.weight}`} data-mark={annotation.n}>
    <p class="mark-head">
      <PinLink annotation={annotation} /> <WeightLabel annotation={annotation} />{" "}
      <span class="mark-place">{placeLabel(annotation.target)}</span>
    </p>
    <p class="mark-body">
      <bdi>{annotation.body}</bdi>
    </p>
    <p class="soft">
      <Actor of={annotation.by} />, <Time ts={annotation.created_at} /> <StateLabel annotation={annotation} />
    </p>
    <Replies replies={replies} />
    <Actions annotation={annotation} forms={forms} />
  </li>
);

/** Shows the place on the picture: a script scrolls, seeks or pages to it. */
export const PinLink = ({ annotation: { n, target } }: { annotation: Annotation }) => (
  <a
    class="pin-link"
    href={`#mark-${n}`}
    data-show={n}
    data-page={target?.page}
    data-from={target?.t_ms}
    data-width={target?.viewport?.w}
    data-line={target?.lines?.from}
  >
    <span class="visually-hidden">Show annotation </span>
    {n}
  </a>
);

/** Leads to its entry on the review desk. */
export const PinNumber = ({ annotation: { n, asset_id } }: { annotation: Annotation }) => (
  <a class="pin-link" href={`/assets/${asset_id}#mark-${n}`}>
    <span class="visually-hidden">Annotation </span>
    {n}
  </a>
);

export const WeightLabel = ({ annotation: { weight } }: { annotation: Annotation }) => (
  <span class={`weight ${weight}`}>{weight}</span>
);

const tones: Record<State, string> = {
  draft: "quiet",
  open: "warn",
  addressed: "info",
  honoured: "good",
  withdrawn: "quiet",
};

/** What people read: the value of the API is spelled otherwise. */
const stateWord = (state: State): string => (state === "honoured" ? "honored" : state);

/** `draft`, `reopened`, `addressed, by codex`, `honored in version 2, by ana` */
export function StateLabel({ annotation }: { annotation: Annotation }) {
  const { state, state_by, reopened, honoured_version } = annotation;
  const word = state === "open" && reopened > 0 ? "reopened" : stateWord(state);
  const where = state === "honoured" && honoured_version !== null ? ` in version ${honoured_version}` : "";
  const by =
    state_by && state !== "open" && state !== "draft" ? `, by ${isolateBidi(actorName(state_by))}` : "";
  return <span class={`mark-state ${tones[state]}`}>{`${word}${where}${by}`}</span>;
}

export const Replies = ({ replies }: { replies: Annotation[] }) =>
  replies.length > 0 ? (
    <ol class="replies" aria-label="Replies">
      {replies.map(({ id, body, by, created_at, state }) => (
        <li key={id}>
          <p class="mark-body">
            <bdi>{body}</bdi>
          </p>
          <p class="soft">
            <Actor of={by} />, <Time ts={created_at} /> {state === "draft" && "draft"}
          </p>
        </li>
      ))}
    </ol>
  ) : null;

interface ActionsProps {
  annotation: Annotation;
  forms: AnnotationForms;
}

function Actions({ annotation, forms }: ActionsProps) {
  const { state } = annotation;
  const isDraft = state === "draft";
  if (!forms.canReply) return null;
  return (
    <div class="mark-actions">
      {isDraft && <EditForm annotation={annotation} forms={forms} />}
      {!isDraft && state !== "withdrawn" && <ReplyForm annotation={annotation} forms={forms} />}
      {isDraft && <StateButtons annotation={annotation} forms={forms} states={{ withdrawn: "Remove" }} />}
      {forms.canDecide && state === "open" && (
        <StateButtons annotation={annotation} forms={forms} states={{ withdrawn: "Withdraw" }} />
      )}
      {forms.canDecide && (state === "honoured" || state === "withdrawn") && (
        <StateButtons annotation={annotation} forms={forms} states={{ open: "Open again" }} />
      )}
      {forms.canRedact && !isRedactionNotice(annotation.body) && (
        <a href={takeBackUrl("annotation", annotation.id)}>Redact…</a>
      )}
    </div>
  );
}

interface StateButtonsProps extends ActionsProps {
  /** Labels by the state that the button sets. */
  states: Partial<Record<State, string>>;
}

export const StateButtons = ({ annotation: { id, n }, forms, states }: StateButtonsProps) => (
  <form method="post" action={forms.action} data-annotation-form>
    <CsrfField token={forms.csrf} />
    <input type="hidden" name="annotation" value={id} />
    {Object.entries(states).map(([state, label]) => (
      <button key={state} type="submit" name="do" value={state} class="small">
        {label}
        <span class="visually-hidden"> annotation {n}</span>
      </button>
    ))}
  </form>
);

const EditForm = ({ annotation: { id, n, body, weight }, forms }: ActionsProps) => (
  <details>
    <summary>
      Edit<span class="visually-hidden"> annotation {n}</span>
    </summary>
    <form method="post" action={forms.action} class="stack" data-annotation-form>
      <CsrfField token={forms.csrf} />
      <input type="hidden" name="annotation" value={id} />
      <WeightField value={weight} />
      <label>
        What to change
        <textarea name="body" rows={3} maxLength={1024} required>
          {body}
        </textarea>
      </label>
      <p class="buttons">
        <button type="submit" name="do" value="save">
          Save
        </button>
      </p>
    </form>
  </details>
);

export const ReplyForm = ({ annotation: { id, n }, forms }: ActionsProps) => (
  <details>
    <summary>
      Reply<span class="visually-hidden"> to annotation {n}</span>
    </summary>
    <form method="post" action={forms.action} class="stack" data-annotation-form>
      <input type="hidden" name="annotation" value={id} />
      <label>
        Reply
        <textarea name="body" rows={2} maxLength={1024} required />
      </label>
      <SenderFields forms={forms} />
      <p class="buttons">
        <button type="submit" name="do" value="reply">
          Reply
        </button>
      </p>
    </form>
  </details>
);
