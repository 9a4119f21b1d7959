/** What people copy: commands and new links. */
import type { ComponentChildren } from "preact";

/** A command to paste into a terminal; a script adds a copy button. */
export const Code = ({ text }: { text: string }) => (
  <div class="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </div>
);

/** A link that was just created: the only time that it is shown. */
export const NewLink = ({ url, children }: { url: string; children?: ComponentChildren }) => (
  <section class="notice good" role="status">
    <p>{children}Copy the link now. It won't be shown again, as only its hash is stored.</p>
    <Code text={url} />
  </section>
);

interface NewSecretProps {
  text: string;
  /** `the signing secret`. */
  what: string;
  children?: ComponentChildren;
}

/** A secret that was just created: the only time that it is shown. */
export const NewSecret = ({ text, what, children }: NewSecretProps) => (
  <section class="notice good" role="status">
    <p>
      {children}Copy {what} now. It won't be shown again.
    </p>
    <Code text={text} />
  </section>
);
