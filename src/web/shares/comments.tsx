/** @jsxImportSource preact */
/** The comments that came through a share link, and the form for another. Comments of others stay inside. */
import type { AnnotationRow } from "../../annotations/port.ts";
import { bodyBytesMax } from "../../annotations/schema.ts";
import { fromMicros } from "../../lib/time.ts";
import type { OpenShare } from "../../shares/visits.ts";
import { Time } from "../time.tsx";
import type { RefusedForm } from "./forms.ts";
import { GuestFields, Refusal } from "./verdict-form.tsx";

interface CommentsProps {
  open: OpenShare;
  comments: AnnotationRow[];
  refused: RefusedForm | undefined;
}

export const Comments = ({ open, comments, refused }: CommentsProps) => (
  <section>
    <h2>Your comments</h2>
    {comments.length > 0 && (
      <ul class="requirements">
        {comments.map(({ id, body, by, created_at, state }) => (
          <li key={id}>
            <p class="decision">{body}</p>
            <p class="soft">
              <bdi>{by.slice(by.indexOf(":") + 1)}</bdi>, <Time ts={fromMicros(created_at)} />
              {state !== "open" && `, ${state}`}
            </p>
          </li>
        ))}
      </ul>
    )}
    {refused && <Refusal refused={refused} />}
    <form method="post" action={`/s/${open.share.id}/comment`} class="stack">
      <GuestFields open={open} refused={refused} />
      <label>
        Comment
        <textarea name="text" rows={3} required maxLength={bodyBytesMax}>
          {refused?.text}
        </textarea>
      </label>
      <p class="buttons">
        <button type="submit">Comment</button>
      </p>
    </form>
  </section>
);
