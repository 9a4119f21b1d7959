/** Buttons that work only with scripts. */

/** Shows a bar of buttons, each of which runs the action that it names. */
export function showTools(bar: HTMLElement, works: Record<string, () => void>): void {
  bar.hidden = false;
  for (const button of bar.querySelectorAll<HTMLButtonElement>("[data-act]"))
    button.addEventListener("click", () => works[button.dataset.act ?? ""]?.());
}
