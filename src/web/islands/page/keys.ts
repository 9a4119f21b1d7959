/** Opens the list of keyboard shortcuts, on every page. */

const dialog = document.getElementById("keys") as HTMLDialogElement;

/** Whether a key press is text, a browser shortcut, or meant for an open dialog. */
export function isForElsewhere(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    target.matches("input:not([type=range], [type=checkbox]), textarea, select") ||
    target.closest("dialog[open]") !== null
  );
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "?" || isForElsewhere(event)) return;
  event.preventDefault();
  dialog.showModal();
});

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-show-keys]")) {
  button.hidden = false;
  button.addEventListener("click", () => dialog.showModal());
}
