/** Comparisons: each mode has a key. */
import "./changes.js";
import "./clock.js";
import "./equal-scale.js";
import "./equal-width.js";
import "./flicker.js";
import "./slider.js";
import { isForElsewhere } from "../page/keys.js";

document.addEventListener("keydown", (event) => {
  if (isForElsewhere(event)) return;
  const mode = document.querySelector<HTMLAnchorElement>(
    `[data-mode-key="${CSS.escape(event.key.toLowerCase())}"]`,
  );
  if (mode && !mode.hasAttribute("aria-current")) mode.click();
});
