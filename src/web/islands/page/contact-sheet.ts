/** The contact sheet: arrow keys move between its pictures, a number opens one, and a button prints it. */
import { isForElsewhere } from "./keys.js";

const links = [...document.querySelectorAll<HTMLAnchorElement>("[data-contact-sheet] a")];

/** How many pictures the first row has. */
function columns(): number {
  const top = links[0]?.offsetTop;
  const next = links.findIndex((link) => link.offsetTop !== top);
  return next < 0 ? links.length : next;
}

function move(by: number): void {
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  links[at < 0 ? 0 : at + by]?.focus();
}

const steps: Record<string, () => number> = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: () => -columns(),
  ArrowDown: columns,
};

document.addEventListener("keydown", (event) => {
  if (isForElsewhere(event)) return;
  const step = steps[event.key];
  // Down scrolls the page until a picture has the focus.
  const isInSheet = links.includes(document.activeElement as HTMLAnchorElement);
  if (step && (isInSheet || event.key === "ArrowRight")) {
    event.preventDefault();
    move(step());
  } else if (/^[1-9]$/.test(event.key)) links[Number(event.key) - 1]?.click();
});

const print = document.querySelector<HTMLButtonElement>("[data-print]");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
