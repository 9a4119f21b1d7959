/** Viewer controls: zoom and pan, synchronized in comparisons; wipe, flicker, difference. */
import "../media/page-widths.js";
import "../media/players.js";
import { showTools } from "../media/tools.js";
import { isForElsewhere } from "../page/keys.js";

const frames = [...document.querySelectorAll<HTMLElement>("[data-zoom]")];
const transform = { scale: 1, x: 0, y: 0 };
const scaleMax = 16;

function applyTransform(): void {
  const [first] = frames;
  if (!first) return;
  // Limit panning to the edges of the image.
  const room = (size: number) => (size * (transform.scale - 1)) / 2;
  const [roomX, roomY] = [room(first.clientWidth), room(first.clientHeight)];
  transform.x = Math.min(roomX, Math.max(-roomX, transform.x));
  transform.y = Math.min(roomY, Math.max(-roomY, transform.y));
  for (const frame of frames) {
    frame.classList.toggle("zoomed", transform.scale > 1);
    for (const image of frame.querySelectorAll("img"))
      image.style.transform =
        transform.scale === 1
          ? ""
          : `translate(${transform.x}px, ${transform.y}px) scale(${transform.scale})`;
    for (const layers of frame.querySelectorAll<HTMLElement>(".layers")) placeLayers(layers);
  }
  const shown = transform.scale === 1 ? "Fit" : `${Math.round(transform.scale * fitScale() * 100)}%`;
  for (const output of document.querySelectorAll("[data-scale]")) output.textContent = shown;
}

/**
 * Layers over an image get its size instead of a scale: what they draw keeps its own. While panning they only
 * move, which the browser does without drawing them again.
 */
function placeLayers({ style }: HTMLElement): void {
  const zoom = String(transform.scale);
  if (style.getPropertyValue("--zoom") !== zoom) style.setProperty("--zoom", zoom);
  style.transform = transform.scale === 1 ? "" : `translate(${transform.x}px, ${transform.y}px)`;
}

/** Zooms around a point, in px from the center of the frame. */
function zoom(scale: number, x = 0, y = 0): void {
  const to = Math.min(scaleMax, Math.max(1, scale));
  const by = to / transform.scale;
  Object.assign(transform, { scale: to, x: x - (x - transform.x) * by, y: y - (y - transform.y) * by });
  applyTransform();
}

/** Device pixels per image pixel while the image fits its frame; 1 before it has loaded. */
function fitScale(): number {
  const image = frames[0]?.querySelector("img");
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
    const { left, top, width, height } = frame.getBoundingClientRect();
    return [event.clientX - left - width / 2, event.clientY - top - height / 2];
  };
  frame.addEventListener(
    "wheel",
    (event) => {
      // The wheel scrolls the page until the image is zoomed.
      if (!event.ctrlKey && transform.scale === 1) return;
      event.preventDefault();
      zoom(transform.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15), ...fromMiddle(event));
    },
    { passive: false },
  );
  frame.addEventListener("pointerdown", (event) => {
    if (transform.scale === 1 || (event.target as Element).closest("a")) return;
    frame.setPointerCapture(event.pointerId);
    frame.onpointermove = (moved) => move(moved.movementX, moved.movementY);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    frame.addEventListener(end, () => (frame.onpointermove = null));
  frame.addEventListener("dblclick", (event) =>
    transform.scale === 1 ? zoom(3, ...fromMiddle(event)) : zoom(1),
  );
  const step = 40;
  const arrows: Record<string, [number, number]> = {
    ArrowLeft: [step, 0],
    ArrowRight: [-step, 0],
    ArrowUp: [0, step],
    ArrowDown: [0, -step],
  };
  frame.addEventListener("keydown", (event) => {
    const arrow = arrows[event.key];
    if (!arrow || transform.scale === 1) return;
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

const keys: Record<string, () => void> = {
  "+": () => zooms.in?.(),
  "=": () => zooms.in?.(),
  "-": () => zooms.out?.(),
  "0": () => zooms.fit?.(),
};
document.addEventListener("keydown", (event) => {
  if (!isForElsewhere(event)) keys[event.key]?.();
});

const overlay = document.getElementById("over");
const upperImage = overlay?.querySelector<HTMLElement>(".upper");
const wipe = document.getElementById("wipe") as HTMLInputElement | null;
const clipUpper = () => upperImage && wipe && (upperImage.style.clipPath = `inset(0 0 0 ${wipe.value}%)`);
wipe?.addEventListener("input", clipUpper);
clipUpper();

/** Dragging moves the wipe edge; when zoomed in, it pans the images instead. */
function dragEdge({ clientX }: PointerEvent): void {
  if (!upperImage || !wipe || transform.scale > 1) return;
  const { left, width } = upperImage.getBoundingClientRect();
  wipe.value = String(((clientX - left) / width) * 100);
  clipUpper();
}
if (overlay && wipe) {
  (wipe.closest("[data-wipe]") as HTMLElement).hidden = false;
  overlay.addEventListener("pointerdown", (event) => {
    if (transform.scale > 1) return;
    overlay.setPointerCapture(event.pointerId);
    dragEdge(event);
    overlay.onpointermove = dragEdge;
  });
}

const amplify = document.getElementById("amplify") as HTMLInputElement | null;
if (overlay && amplify) {
  (amplify.closest("[data-amplify]") as HTMLElement).hidden = false;
  amplify.addEventListener("input", () => (overlay.style.filter = `brightness(${amplify.value})`));
}

const flicker = document.querySelector<HTMLElement>("[data-flicker]");
if (flicker && upperImage) {
  const shown = flicker.querySelector("[data-shown]") as HTMLElement;
  const [older = "", newer = ""] = (shown.dataset.names ?? "").split(" ");
  const pause = flicker.querySelector('[data-act="pause"]') as HTMLElement;
  const other = () => {
    upperImage.classList.toggle("away");
    shown.textContent = upperImage.classList.contains("away") ? older : newer;
  };
  let timer = 0;
  const toggle = () => {
    clearInterval(timer);
    timer = timer ? 0 : window.setInterval(other, 700);
    pause.textContent = timer ? "Pause" : "Play";
  };
  showTools(flicker, {
    pause: toggle,
    other: () => {
      if (timer) toggle();
      other();
    },
  });
  toggle();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) toggle();
}
