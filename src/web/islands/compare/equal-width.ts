/** Shows the two HTML pages of a comparison at one width. */
import { choiceOf, showWidth } from "../media/page-widths.js";

const viewers = [...document.querySelectorAll("[data-compared] [data-kind=html]")];
for (const viewer of viewers)
  viewer.addEventListener("click", ({ target, isTrusted }) => {
    // The key for the next width presses the buttons of both.
    const act = (target as Element).closest<HTMLElement>("[data-widths] [data-act]")?.dataset.act;
    if (!act || !isTrusted) return;
    for (const other of viewers) if (other !== viewer) showWidth(other, choiceOf(act));
  });
