/** Outlines the regions that changed between two images, and walks through them. */
import { showTools } from "../media/tools.js";
import { showPoint } from "../media/zoom.js";
import { isForElsewhere } from "../page/keys.js";
import type { PixelChanges } from "./difference-worker.js";
import { sharedBox } from "./equal-scale.js";

const bar = document.querySelector<HTMLElement>("[data-changes-bar]");
const drawing = document.querySelector<SVGElement>("[data-changes]");
const text = bar?.querySelector<HTMLElement>("[data-changes-text]");
/** A region that is shown smaller is zoomed to, in CSS pixels. */
const readablePx = 48;
/** The most that it is enlarged. */
const enlargedMax = 4;
/** Space around an outline, so that it does not cover the change: in CSS pixels. */
const marginPx = 6;

const percentOf = (share: number): string =>
  share > 0 && share < 0.01 ? "less than 1 %" : `${Math.round(share * 100)} %`;

/** Workers cannot draw SVG, and a page has only the pixels of its own images: a data URL is one. */
async function drawSvg(file: Blob): Promise<ImageBitmap> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(await file.text())}`;
  await image.decode();
  return createImageBitmap(image);
}

async function load({ src }: HTMLImageElement): Promise<Blob | ImageBitmap> {
  const file = await (await fetch(src)).blob();
  return file.type.startsWith("image/svg") ? drawSvg(file) : file;
}

/** Compares the files in a worker. @returns null if they cannot be compared */
async function findChanges(images: HTMLImageElement[]): Promise<PixelChanges | null> {
  const files = await Promise.all(images.map(load));
  const worker = new Worker(new URL("./difference-worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve) => {
    const end = (found: PixelChanges | null) => {
      worker.terminate();
      resolve(found);
    };
    worker.onmessage = ({ data }) => end(data);
    worker.onerror = () => end(null);
    worker.postMessage(files);
  });
}

/** What was found, as a sentence. */
function summaryOf({ regions, share, isEverywhere }: PixelChanges): string {
  if (regions.length === 0) return "No visible change.";
  if (isEverywhere)
    return (
      `Changed almost everywhere (${percentOf(share)} of the pixels), ` +
      "as an image that was generated again. Use wipe, onion skin, or flicker."
    );
  const count = regions.length === 1 ? "1 change" : `${regions.length} changes`;
  return `${count}, ${percentOf(share)} of the pixels.`;
}

function outline({ regions, width, height }: PixelChanges): SVGElement[] {
  const box = sharedBox();
  const margin = box ? (marginPx * width) / box.width : 0;
  return regions.map(({ x, y, w, h }) => {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "g");
    const sides = {
      x: `${((x - margin) / width) * 100}%`,
      y: `${((y - margin) / height) * 100}%`,
      width: `${((w + 2 * margin) / width) * 100}%`,
      height: `${((h + 2 * margin) / height) * 100}%`,
    };
    for (const name of ["halo", ""]) {
      const side = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      side.setAttribute("class", `shape ${name}`);
      for (const [key, value] of Object.entries(sides)) side.setAttribute(key, value);
      rect.append(side);
    }
    return rect;
  });
}

/** Walks through regions with buttons, J, and K. */
function walk(found: PixelChanges, outlines: SVGElement[], status: HTMLElement): void {
  const { regions, width, height } = found;
  let at = -1;
  const go = (by: 1 | -1) => {
    at = at < 0 && by < 0 ? regions.length - 1 : (at + by + regions.length) % regions.length;
    const region = regions[at];
    const box = sharedBox();
    if (!region || !box) return;
    for (const [index, one] of outlines.entries()) one.classList.toggle("on", index === at);
    const perPixel = box.width / width;
    const larger = Math.max(region.w, region.h) * perPixel;
    const scale = larger < readablePx ? Math.min(enlargedMax, (2 * readablePx) / larger) : 1;
    const middle = { x: region.x + region.w / 2 - width / 2, y: region.y + region.h / 2 - height / 2 };
    showPoint(middle.x * perPixel, middle.y * perPixel, scale);
    const [left, right] = [region.x / width, (region.x + region.w) / width].map(percentOf);
    const [top, bottom] = [region.y / height, (region.y + region.h) / height].map(percentOf);
    status.textContent =
      `Change ${at + 1} of ${regions.length}: ` +
      `${left} to ${right} from the left, ${top} to ${bottom} from the top.`;
  };
  showTools(bar as HTMLElement, { next: () => go(1), previous: () => go(-1) });
  const tools = document.querySelector<HTMLElement>("[data-walk]");
  if (tools) tools.hidden = false;
  document.addEventListener(
    "keydown",
    (event) => {
      const by = ({ j: 1, k: -1 } as const)[event.key.toLowerCase() as "j" | "k"];
      const isInList = (event.target as Element).closest(".annotations") !== null;
      if (!by || isInList || isForElsewhere(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      go(by);
    },
    { capture: true },
  );
}

async function start(status: HTMLElement, svg: SVGElement): Promise<void> {
  if (bar) bar.hidden = false;
  const images = [...document.querySelectorAll<HTMLImageElement>("#over img")];
  await Promise.all(images.map((image) => image.decode().catch(() => {})));
  const found = await findChanges(images).catch(() => null);
  status.textContent = found ? summaryOf(found) : "Changes can't be outlined for these files.";
  if (!found || found.isEverywhere || found.regions.length === 0) return;
  const outlines = outline(found);
  svg.replaceChildren(...outlines);
  walk(found, outlines, status);
}

const amplify = document.getElementById("amplify") as HTMLInputElement | null;
const pair = document.querySelector<HTMLElement>("#over .pair");
if (amplify && pair) {
  (amplify.closest("[data-amplify]") as HTMLElement).hidden = false;
  amplify.addEventListener("input", () => (pair.style.filter = `brightness(${amplify.value})`));
}
if (text && drawing) void start(text, drawing);
