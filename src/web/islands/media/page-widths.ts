/**
 * Shows an HTML page at the width of a phone, a tablet or a laptop, scaled down to fit, or at all three side
 * by side. A page is laid out for the width of its frame, which annotations state; scaling keeps it.
 */
import { isForElsewhere } from "../page/keys.js";
import { showTools } from "./tools.js";

/** Sent to the viewer when its frames have other widths, or when there are more or fewer of them. */
export const widthsChanged = "widths-changed";

/** Names of buttons other than a width: the width of the viewer, and one frame for each width. */
type Choice = "full" | "each";

const barOf = (viewer: Element) => viewer.querySelector<HTMLElement>("[data-widths]");
const framesOf = (viewer: Element) => viewer.querySelector(".frames") as HTMLElement;

/** Gives a frame this width, and scales it. @param scale 1 or less */
function layOut(marked: HTMLElement, width: number, scale: number): void {
  const frame = marked.querySelector("iframe") as HTMLIFrameElement;
  marked.style.width = `${width * scale}px`;
  marked.style.height = `${marked.clientHeight}px`;
  Object.assign(frame.style, {
    width: `${width}px`,
    height: `${marked.clientHeight / scale}px`,
    transform: scale === 1 ? "" : `scale(${scale})`,
  });
  marked.dataset.width = `${width} px`;
}

function reset(marked: HTMLElement): void {
  marked.removeAttribute("style");
  marked.querySelector("iframe")?.removeAttribute("style");
  delete marked.dataset.width;
}

/** Shows one width, which may be none of the buttons', the full width, or all. */
export function showWidth(viewer: Element, choice: number | Choice): void {
  const [bar, frames] = [barOf(viewer), framesOf(viewer)];
  const [first, ...others] = frames.querySelectorAll<HTMLElement>(".marked");
  if (!bar || !first) return;
  for (const other of others) other.remove();
  reset(first);
  frames.classList.toggle("each", choice === "each");
  const room = frames.clientWidth;
  if (choice === "each") {
    const widths = (bar.dataset.widths ?? "").split(" ").map(Number);
    const gaps = Number.parseFloat(getComputedStyle(frames).columnGap) * (widths.length - 1);
    const isColumn = getComputedStyle(frames).flexDirection === "column";
    const shared = (room - gaps) / widths.reduce((sum, width) => sum + width, 0);
    const all = [first, ...widths.slice(1).map(() => copyOf(first))];
    frames.append(...all);
    for (const [at, width] of widths.entries())
      layOut(all[at] as HTMLElement, width, isColumn ? Math.min(1, room / width) : Math.min(1, shared));
  } else if (choice !== "full") layOut(first, choice, Math.min(1, room / choice));
  for (const button of bar.querySelectorAll<HTMLElement>("[data-act]"))
    button.setAttribute("aria-pressed", String(button.dataset.act === String(choice)));
  viewer.dispatchEvent(new Event(widthsChanged));
}

function copyOf(marked: HTMLElement): HTMLElement {
  const copy = document.createElement("div");
  copy.className = "marked";
  copy.append(marked.querySelector("iframe")?.cloneNode() as Node);
  return copy;
}

const viewers = [...document.querySelectorAll("[data-viewer]")].filter((viewer) => barOf(viewer));
export const choiceOf = (act = ""): number | Choice => (act === "full" || act === "each" ? act : Number(act));
const buttonsOf = (viewer: Element) => [
  ...(barOf(viewer)?.querySelectorAll<HTMLButtonElement>("[data-act]") ?? []),
];

for (const viewer of viewers) {
  const acts = buttonsOf(viewer).map(({ dataset: { act = "" } }) => act);
  showTools(
    barOf(viewer) as HTMLElement,
    Object.fromEntries(acts.map((act) => [act, () => showWidth(viewer, choiceOf(act))])),
  );
  let room = framesOf(viewer).clientWidth;
  new ResizeObserver(() => {
    const shown = buttonsOf(viewer).find((button) => button.getAttribute("aria-pressed") === "true");
    const isSame = framesOf(viewer).clientWidth === room;
    room = framesOf(viewer).clientWidth;
    if (!isSame && shown) showWidth(viewer, choiceOf(shown.dataset.act));
  }).observe(framesOf(viewer));
}

/** W shows the next width. */
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "w" || isForElsewhere(event)) return;
  for (const viewer of viewers) {
    const buttons = buttonsOf(viewer);
    const at = buttons.findIndex((button) => button.getAttribute("aria-pressed") === "true");
    buttons[(at + 1) % buttons.length]?.click();
  }
});
