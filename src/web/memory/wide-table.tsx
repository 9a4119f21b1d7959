/** @jsxImportSource preact */
/** A table that scrolls sideways where the page is narrow. */
import type { ComponentChildren } from "preact";

interface Props {
  label: string;
  heads: readonly string[];
  class?: string;
  /** Its rows. */
  children: ComponentChildren;
}

export const WideTable = ({ label, heads, class: name, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access
  <section class={["wide-table", name].filter(Boolean).join(" ")} tabIndex={0} aria-label={label}>
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
