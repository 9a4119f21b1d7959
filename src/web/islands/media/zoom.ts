/** Zoom and pan of images. The two of a comparison zoom and pan together. */
import { isForElsewhere } from "../page/keys.js";
import { showTools } from "./tools.js";

const frames = [...document.querySelectorAll<HTMLElement>("[data-zoom]")];
const transform = { scale: 1, x: 0, y: 0 };
const scaleMax = 16;

export const isZoomed = (): boolean => transform.scale > 1;

function applyTransform(): void {
  const [first] = frames;
  if (!first) return;
  // Limit panning to the edges of the image.
  const room = (size: number) => (size * (transform.scale - 1)) / 2;
  const [roomX, roomY] = [room(first.clientWidth), room(first.clientHeight)];
  transform.x = Math.min(roomX, Math.max(-roomX, transform.x));
  transform.y = Math.min(roomY, Math.max(-roomY, transform.y));
  for (const frame of frames) {
    frame.classList.toggle("zoomed", isZoomed());
    for (const image of frame.querySelectorAll("img"))
      image.style.transform = isZoomed()
        ? `translate(${transform.x}px, ${transform.y}px) scale(${transform.scale})`
        : "";
    for (const layers of frame.querySelectorAll<HTMLElement>(".layers")) placeLayers(layers);
  }
  const shown = isZoomed() ? `${Math.round(transform.scale * fitScale() * 100)}%` : "Fit";
  for (const output of document.querySelectorAll("[data-scale]")) output.textContent = shown;
}

/**
 * Layers over an image get its size instead of a scale: what they draw keeps its own. While panning they only
 * move, which the browser does without drawing them again.
 */
function placeLayers({ style }: HTMLElement): void {
  const zoom = String(transform.scale);
  if (style.getPropertyValue("--zoom") !== zoom) style.setProperty("--zoom", zoom);
  style.transform = isZoomed() ? `translate(${transform.x}px, ${transform.y}px)` : "";
}

/** Zooms around a point, in px from the middle of the frame. */
function zoom(scale: number, x = 0, y = 0): void {
  const to = Math.min(scaleMax, Math.max(1, scale));
  const by = to / transform.scale;
  Object.assign(transform, { scale: to, x: x - (x - transform.x) * by, y: y - (y - transform.y) * by });
  applyTransform();
}

/**
 * Moves a point to the middle of the frame, as far as the edges allow.
 * @param x in px from the middle while the image fits
 * @param scale at least this zoom
 */
export function showPoint(x: number, y: number, scale: number): void {
  const to = Math.min(scaleMax, Math.max(transform.scale, scale));
  Object.assign(transform, { scale: to, x: -x * to, y: -y * to });
  applyTransform();
}

/** Pans a zoomed image so that a mark on it is in the middle; scrolls what is no image. */
export function moveIntoView(mark: Element): void {
  const frame = mark.closest("[data-zoom]");
  if (!frame) mark.scrollIntoView({ block: "nearest" });
  if (!frame || !isZoomed()) return;
  const [room, box] = [frame.getBoundingClientRect(), mark.getBoundingClientRect()];
  move(
    room.left + room.width / 2 - (box.left + box.width / 2),
    room.top + room.height / 2 - (box.top + box.height / 2),
  );
}

/** Device pixels per image pixel while the image fits its frame; 1 before it has loaded. */
function fitScale(): number {
  const image = [...(frames.at(-1)?.querySelectorAll("img") ?? [])].at(-1);
  return image?.naturalWidth ? (image.clientWidth * devicePixelRatio) / image.naturalWidth : 1;
}

/** Zooms to 1:1, one image pixel per device pixel. */
const zoomToActualSize = (): void => zoom(1 / fitScale());

function move(x: number, y: number): void {
  transform.x += x;
  transform.y += y;
  applyTransform();
}

for (const frame of frames) {
  const fromMiddle = (event: MouseEvent): [number, number] => {
    const { left, top } = frame.getBoundingClientRect();
    const { clientWidth: width, clientHeight: height } = frames[0] as HTMLElement;
    return [event.clientX - left - width / 2, event.clientY - top - height / 2];
  };
  frame.addEventListener(
    "wheel",
    (event) => {
      // The wheel scrolls the page until the image is zoomed.
      if (!event.ctrlKey && !isZoomed()) return;
      event.preventDefault();
      zoom(transform.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15), ...fromMiddle(event));
    },
    { passive: false },
  );
  frame.addEventListener("pointerdown", (event) => {
    if (!isZoomed() || (event.target as Element).closest("a")) return;
    frame.setPointerCapture(event.pointerId);
    frame.onpointermove = (moved) => move(moved.movementX, moved.movementY);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    frame.addEventListener(end, () => (frame.onpointermove = null));
  frame.addEventListener("dblclick", (event) => (isZoomed() ? zoom(1) : zoom(3, ...fromMiddle(event))));
  const step = 40;
  const arrows: Record<string, [number, number]> = {
    ArrowLeft: [step, 0],
    ArrowRight: [-step, 0],
    ArrowUp: [0, step],
    ArrowDown: [0, -step],
  };
  frame.addEventListener("keydown", (event) => {
    const arrow = arrows[event.key];
    if (!arrow || !isZoomed()) return;
    event.preventDefault();
    move(...arrow);
  });
}

const zooms: Record<string, () => void> = {
  in: () => zoom(transform.scale * 1.5),
  out: () => zoom(transform.scale / 1.5),
  fit: () => zoom(1),
  full: zoomToActualSize,
};
for (const bar of document.querySelectorAll<HTMLElement>("[data-zoom-bar]")) showTools(bar, zooms);

const keys: Record<string, string> = { "+": "in", "=": "in", "-": "out", "0": "fit" };
document.addEventListener("keydown", (event) => {
  if (!isForElsewhere(event)) zooms[keys[event.key] ?? ""]?.();
});
