/** Who was asked to review an asset and until when, and the form that asks. */

import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import { listWithAnd } from "../../../core/lib/strings/word-list.ts";
import { type Micros, minuteMicros, toMicros } from "../../../core/lib/time.ts";
import type { ReviewRequest } from "../../../library/review-requests/schema.ts";
import { Actor } from "../../actor.tsx";
import { formatDateTime } from "../../format.ts";
import { PostForm, Submit } from "../../layout.tsx";
import { htmlTime } from "../../time.tsx";
import type { View } from "../../view.ts";

export const hourMicros = 60 * minuteMicros;
/** The choices of the form, by their hours. */
export const dues = { 1: "In 1 hour", 4: "In 4 hours", 24: "In 1 day", 72: "In 3 days", 168: "In 1 week" };

/** `2 h`, `3 days` */
export function spanOf(micros: Micros): string {
  const hours = Math.round(micros / hourMicros);
  if (hours < 1) return `${Math.max(1, Math.round(micros / minuteMicros))} min`;
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** `Asked of maria by agent:codex, due in 2 h: Is the depth readable?` */
export function Asked({ request, now }: { request: ReviewRequest; now: Micros }) {
  const { reviewers, asked_by, due_at, question } = request;
  const names = reviewers.map(isolateBidi);
  const left = due_at === null ? 0 : toMicros(due_at) - now;
  return (
    <>
      Asked of <strong>{reviewers.length > 0 ? listWithAnd(names) : "everyone"}</strong> by{" "}
      <Actor of={asked_by} />
      {due_at !== null && (
        <>
          ,{" "}
          <time
            dateTime={htmlTime(due_at)}
            title={formatDateTime(due_at)}
            class={left < 0 ? "overdue" : undefined}
          >
            {left < 0 ? `overdue for ${spanOf(-left)}` : `due in ${spanOf(left)}`}
          </time>
        </>
      )}
      {question !== null && (
        <>
          : <bdi>{question}</bdi>
        </>
      )}
    </>
  );
}

/** Asks for a review, or changes the open request. */
export const AskForm = ({ id, view, request }: { id: string; view: View; request: ReviewRequest | null }) => (
  <details class="ask">
    <summary>{request ? "Change who is asked" : "Ask for a review"}</summary>
    <PostForm view={view} action={`/assets/${id}/review-requests`} class="stack">
      <label>
        Reviewers
        <input
          name="reviewers"
          value={request?.reviewers.join(", ")}
          placeholder="maria, reviewer"
          aria-describedby="reviewers-hint"
        />
      </label>
      <p class="soft" id="reviewers-hint">
        Names of tokens or roles. Empty: everyone who can review.
      </p>
      <label>
        Due
        <select name="due">
          <option value="">{request?.due_at ? "Unchanged" : "No due time"}</option>
          {Object.entries(dues).map(([hours, label]) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Question
        <input name="question" maxLength={280} value={request?.question ?? ""} />
      </label>
      <Submit text="Ask" />
    </PostForm>
  </details>
);
