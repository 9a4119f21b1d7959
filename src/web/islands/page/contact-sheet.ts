/** The contact sheet: arrow keys move between its pictures, a number opens one, and a button prints it. */
import { moveInGrid } from "./grid-keys.js";
import { isForElsewhere } from "./keys.js";

const links = [...document.querySelectorAll<HTMLAnchorElement>("[data-contact-sheet] a")];

document.addEventListener("keydown", (event) => {
  if (isForElsewhere(event)) return;
  moveInGrid(event, links);
  if (/^[1-9]$/.test(event.key)) links[Number(event.key) - 1]?.click();
});

const print = document.querySelector<HTMLButtonElement>("[data-print]");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
