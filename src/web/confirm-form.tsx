/** A button for what cannot be undone: it opens to what it does, and the button that does it. */
import type { ComponentChildren } from "preact";
import { PostForm } from "./layout.tsx";
import type { View } from "./view.ts";

interface ConfirmFormProps {
  view: View;
  action: string;
  /** What the first button says, and what it is about. */
  verb: string;
  of: string;
  /** What happens. */
  text: ComponentChildren;
}

export const ConfirmForm = ({ view, action, verb, of, text }: ConfirmFormProps) => (
  <details class="confirm">
    <summary aria-label={`${verb} ${of}`}>{verb}</summary>
    <PostForm view={view} action={action}>
      <p class="soft">{text}</p>
      <button type="submit" class="danger">
        {verb} {of}
      </button>
    </PostForm>
  </details>
);
