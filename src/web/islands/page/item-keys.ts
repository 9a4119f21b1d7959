/** J and K move the focus between the items of a page. */
import { isForElsewhere } from "./keys.js";

/** Moves the focus to the next or the previous item; from elsewhere, to the first. */
function move(by: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>("[data-item]")];
  const row = document.activeElement?.closest("li");
  const at = items.findIndex((item) => item === document.activeElement || row?.contains(item));
  items[at < 0 ? 0 : at + by]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (isForElsewhere(event)) return;
  if (event.key === "j") move(1);
  if (event.key === "k") move(-1);
});
