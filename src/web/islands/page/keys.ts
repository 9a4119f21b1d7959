/** Opens the list of keyboard shortcuts, and turns those of a single key on and off, on every page. */

const dialog = document.getElementById("keys") as HTMLDialogElement;

/** Set in a browser whose user turned them off, as people who speak to their computer do (WCAG 2.1.4). */
const offKey = "svc-single-keys-off";

/** A letter, a digit, or punctuation. */
const isCharacter = ({ key }: KeyboardEvent): boolean => /^\S$/u.test(key);

/** Whether a key press is text, a browser shortcut, meant for an open dialog, or turned off. */
export function isForElsewhere(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return (
    (isCharacter(event) && localStorage.getItem(offKey) !== null) ||
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

const switches = document.querySelectorAll<HTMLInputElement>("[data-single-keys]");
function showSwitches(): void {
  for (const one of switches) one.checked = localStorage.getItem(offKey) === null;
}
for (const one of switches) {
  one.disabled = false;
  one.addEventListener("change", () => {
    if (one.checked) localStorage.removeItem(offKey);
    else localStorage.setItem(offKey, "1");
    showSwitches();
  });
}
showSwitches();

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-show-keys]")) {
  button.hidden = false;
  button.addEventListener("click", () => dialog.showModal());
}
