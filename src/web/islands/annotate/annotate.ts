/**
 * Annotations beside their viewer: pins and list entries point to each other, J and K walk through the list,
 * and places are marked by pointer, touch or keyboard.
 */
import { showWidth } from "../media/page-widths.js";
import { moveIntoView } from "../media/zoom.js";
import { isForElsewhere } from "../page/keys.js";
import { changed, focusEntry, loadListPage } from "./annotation-forms.js";
import { watchFrames } from "./frame-rate.js";
import { drawPins, followPins } from "./shown-pins.js";
import "./marking.js";

const viewers = [...document.querySelectorAll<HTMLElement>("[data-viewer]")];
for (const viewer of viewers) {
  const video = viewer.querySelector("video");
  if (video) watchFrames(video);
  followPins(viewer);
}

/** Highlights an annotation in the list and on the picture. */
function highlight(n: string | undefined): void {
  for (const one of document.querySelectorAll(".mark.on")) one.classList.remove("on");
  if (n === undefined) return;
  for (const one of document.querySelectorAll(`.mark[data-n="${n}"], .mark[data-mark="${n}"]`))
    one.classList.add("on");
}

const numberAt = (target: EventTarget | null): string | undefined => {
  const mark = (target as Element | null)?.closest<HTMLElement | SVGElement>(".mark");
  return mark?.dataset.n ?? mark?.dataset.mark;
};

for (const kind of ["pointerover", "focusin"] as const)
  document.addEventListener(kind, ({ target }) => {
    // Away from all of them, as after the page scrolled below the pointer, the focus decides.
    const n = numberAt(target) ?? numberAt(document.activeElement);
    if (n !== undefined || document.querySelector(".mark.on")) highlight(n);
  });

/** Opens the part of a long text that has this line. */
function openPart(line: string): void {
  const url = new URL(location.href);
  url.searchParams.set("line", line);
  location.assign(url);
}

const { searchParams } = new URL(location.href);
document
  .querySelector(`[data-lines] tr:not(:first-child)[data-line="${Number(searchParams.get("line"))}"]`)
  ?.scrollIntoView({ block: "center" });

/** Brings the place of an annotation into view: seeks, scrolls to its page or line, or sets the width. */
function show({ dataset }: HTMLElement): void {
  const viewer = viewers.at(-1);
  if (!viewer) return;
  const player = viewer.querySelector<HTMLMediaElement>("video, audio");
  if (player && dataset.from) {
    player.pause();
    player.currentTime = Number(dataset.from) / 1000;
  }
  const part = dataset.page
    ? viewer.querySelector(`.sheet[data-page="${dataset.page}"]`)
    : (viewer.querySelector(`.text-view .mark[data-n="${dataset.show}"]`) ??
      (dataset.line && viewer.querySelector(`[data-line="${dataset.line}"]`)));
  if (!part && dataset.line && viewer.querySelector("[data-lines]")) openPart(dataset.line);
  if (part) part.scrollIntoView({ block: "center" });
  if (dataset.show) flash(viewer, dataset.show);
  const isShown = [...viewer.querySelectorAll("iframe")].some(
    ({ clientWidth }) => String(clientWidth) === dataset.width,
  );
  if (dataset.width && !isShown) showWidth(viewer, Number(dataset.width));
  const { top, bottom } = viewer.getBoundingClientRect();
  if (bottom < 0 || top > innerHeight) viewer.scrollIntoView({ block: "nearest" });
}

/** What ends a move to another page or frame: its marks are drawn then. */
const arrivals = ["sheet-drawn", "seeked"];

/** Brings a mark into view and makes it blink: now, and again on the page or the frame that is still to come. */
function flash(viewer: HTMLElement, n: string): void {
  const blink = () => {
    const marks = viewer.querySelectorAll<SVGElement>(
      `.pins .mark[data-n="${n}"], .timeline .mark[data-n="${n}"]`,
    );
    for (const mark of marks) {
      moveIntoView(mark);
      mark.classList.remove("flash");
      void mark.getBoundingClientRect(); // so that the animation starts again
      mark.classList.add("flash");
    }
  };
  blink();
  for (const kind of arrivals) viewer.addEventListener(kind, blink, { once: true, capture: true });
}

/** Loads the page of the list that an annotation is on, and moves the focus to it. */
async function goTo(link: HTMLAnchorElement | SVGAElement): Promise<void> {
  const url = new URL(link.getAttribute("href") ?? "", location.href);
  url.searchParams.set("mark", numberAt(link) ?? "");
  url.searchParams.delete("show");
  if (!document.getElementById(url.hash.slice(1))) await loadListPage(url.href);
  focusEntry(url.hash.slice(1));
}

/** A click on the words of a comment goes to its place, as its number does. */
document.addEventListener("click", ({ target }) => {
  const entry = (target as Element).closest<HTMLElement>(".marks > .mark");
  const isControl = (target as Element).closest("a, button, summary, form, label") !== null;
  const isSelecting = getSelection()?.isCollapsed === false;
  const link = entry?.querySelector<HTMLElement>("[data-show]");
  if (link && !isControl && !isSelecting) show(link);
});

document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement | SVGAElement>("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const isPin = link.closest(".pins, .timeline, .line-pin") !== null;
  if (!isPin && !link.matches("[data-show], [data-marks-page]")) return;
  event.preventDefault();
  if (link.matches("[data-marks-page]")) void loadListPage((link as HTMLAnchorElement).href);
  else if (isPin) void goTo(link);
  else show(link as HTMLElement);
});

/** The next or the previous annotation, also on the next page of the list. */
async function move(by: 1 | -1): Promise<void> {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".marks [data-show]")];
  const entry = document.activeElement?.closest(".marks > .mark") ?? document.querySelector(".marks > .on");
  const at = links.findIndex((link) => entry?.contains(link));
  let next = links[at < 0 ? 0 : at + by];
  const page = document.querySelector<HTMLAnchorElement>(
    `[data-marks-page="${by > 0 ? "next" : "previous"}"]`,
  );
  if (!next && page) {
    await loadListPage(page.href);
    next = [...document.querySelectorAll<HTMLAnchorElement>("#annotations [data-show]")].at(by > 0 ? 0 : -1);
  }
  next?.focus();
  if (next) show(next);
}

/** J and K are for the queue, except while places are marked or the focus is in the list. */
const isInAnnotations = (): boolean =>
  document.querySelector(".marking") !== null || document.activeElement?.closest(".annotations") != null;

document.addEventListener(
  "keydown",
  (event) => {
    const by = { j: 1, k: -1 }[event.key.toLowerCase()] as 1 | -1 | undefined;
    if (!by || isForElsewhere(event) || !isInAnnotations()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void move(by);
  },
  { capture: true },
);

document.addEventListener(changed, () => {
  for (const viewer of viewers) if (viewer.dataset.kind !== "image") drawPins(viewer);
});

const named = document.getElementById(location.hash.slice(1))?.querySelector<HTMLElement>("[data-show]");
if (named) highlight(numberAt(named));
