/** What is read now and then opens beside the file, one drawer at a time. Works without scripts. */
import type { ComponentChildren } from "preact";

interface DrawerProps {
  id: string;
  label: ComponentChildren;
  children: ComponentChildren;
}

export const Drawer = ({ id, label, children }: DrawerProps) => (
  <details class="drawer" name="drawer" id={id}>
    <summary class="button">
      {label}
      <span class="visually-hidden"> drawer</span>
    </summary>
    <div class="drawer-panel">{children}</div>
  </details>
);
