/** @jsxImportSource preact */
/** A button for what cannot be undone: it opens to what it does, and the button that does it. */
import type { ComponentChildren } from "preact";
import { CsrfField } from "./layout.tsx";
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
    <form method="post" action={action}>
      <CsrfField token={view.visitor.csrf} />
      <p class="soft">{text}</p>
      <button type="submit" class="danger">
        {verb} {of}
      </button>
    </form>
  </details>
);
