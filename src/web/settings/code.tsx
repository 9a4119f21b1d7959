/** @jsxImportSource preact */
/** A command to paste into a terminal; a script adds a copy button. */

export const Code = ({ text }: { text: string }) => (
  <div class="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </div>
);
