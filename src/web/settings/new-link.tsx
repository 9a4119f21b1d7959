/** @jsxImportSource preact */
/** A link that was just created: the only time that it is shown. */
import type { ComponentChildren } from "preact";
import { Code } from "./code.tsx";

export const NewLink = ({ url, children }: { url: string; children?: ComponentChildren }) => (
  <section class="notice good" role="status">
    <p>{children}Copy the link now. It won't be shown again, as only its hash is stored.</p>
    <Code text={url} />
  </section>
);
