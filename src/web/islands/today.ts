/** Today: follows all events, keeps the tab's title and icon current, and moves between items by keyboard. */
import { isForElsewhere } from "./keys.js";
import { followPage } from "./live-sections.js";

const { newest = "" } = (document.getElementById("today") as HTMLElement).dataset;
/** A tab in the background follows no stream, but shows its counts. */
const hiddenPollMs = 60_000;

const iconOf = (page: Document) => page.querySelector<HTMLLinkElement>('link[rel="icon"]');

const update = followPage({
  ...{ filters: {}, newest, pauseMs: 2_000 },
  onUpdate(page) {
    document.title = page.title;
    const [shown, fresh] = [iconOf(document), iconOf(page)];
    // A browser shows a new icon when the link is a new one.
    if (shown && fresh && shown.getAttribute("href") !== fresh.getAttribute("href")) shown.replaceWith(fresh);
  },
});
setInterval(() => {
  if (document.hidden) void update();
}, hiddenPollMs);

/** Moves the focus to the next or the previous item; from elsewhere, to the first. */
function move(by: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>("[data-item]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[at < 0 ? 0 : at + by]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (isForElsewhere(event)) return;
  if (event.key === "j") move(1);
  if (event.key === "k") move(-1);
});
