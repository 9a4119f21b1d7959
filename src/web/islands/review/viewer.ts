/** Viewer controls: zoom and pan, synchronized in comparisons; frame stepping; wipe, flicker, difference. */
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
    frame.style.setProperty("--zoom", String(transform.scale));
    for (const layer of frame.querySelectorAll<HTMLElement | SVGElement>("img, .overlay"))
      layer.style.transform =
        transform.scale === 1
          ? ""
          : `translate(${transform.x}px, ${transform.y}px) scale(${transform.scale})`;
  }
  const shown = transform.scale === 1 ? "Fit" : `${Math.round(transform.scale * fitScale() * 100)}%`;
  for (const output of document.querySelectorAll("[data-scale]")) output.textContent = shown;
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

function showTools(bar: HTMLElement, works: Record<string, () => void>): void {
  bar.hidden = false;
  for (const button of bar.querySelectorAll<HTMLButtonElement>("[data-act]"))
    button.addEventListener("click", () => works[button.dataset.act ?? ""]?.());
}
for (const bar of document.querySelectorAll<HTMLElement>("[data-zoom-bar]")) showTools(bar, zooms);

/** Videos or audio files side by side play, pause, and step in sync. */
const players = [...document.querySelectorAll<HTMLMediaElement>("video, audio")];
let frameSeconds = 1 / 30;

function step(count: number): void {
  for (const player of players) {
    player.pause();
    player.currentTime = Math.max(
      0,
      player.currentTime + count * (player instanceof HTMLVideoElement ? frameSeconds : 0.1),
    );
  }
}

/** The DOM does not expose the frame rate of a video, so it is measured while the video plays. */
function measureFrameTime(video: HTMLVideoElement): void {
  let last = 0;
  const see = (_now: number, { mediaTime }: VideoFrameCallbackMetadata) => {
    const took = mediaTime - last;
    if (!video.paused && took > 1 / 240 && took < 1 / 10) frameSeconds = took;
    last = mediaTime;
    video.requestVideoFrameCallback(see);
  };
  video.requestVideoFrameCallback(see);
}

/** Events that this script caused itself, which must not be mirrored again. */
const ownEvents = new Map<HTMLMediaElement, Set<string>>(players.map((player) => [player, new Set()]));

function mirrorEvent(kind: "play" | "pause" | "seeked", from: HTMLMediaElement, to: HTMLMediaElement): void {
  const echo = ownEvents.get(to);
  if (Math.abs(to.currentTime - from.currentTime) > 0.02) {
    echo?.add("seeked");
    to.currentTime = from.currentTime;
  }
  if (kind === "play" && to.paused) {
    echo?.add(kind);
    to.play().catch(() => echo?.delete(kind)); // interrupted by a pause, or blocked by autoplay rules
  }
  // When the shorter one ends, the longer one keeps playing.
  if (kind === "pause" && !to.paused && !from.ended) {
    echo?.add(kind);
    to.pause();
  }
}

for (const player of players) {
  if (player instanceof HTMLVideoElement) measureFrameTime(player);
  for (const kind of ["play", "pause", "seeked"] as const) {
    player.addEventListener(kind, () => {
      if (ownEvents.get(player)?.delete(kind)) return;
      for (const other of players) if (other !== player) mirrorEvent(kind, player, other);
    });
  }
  const bar = player.closest(".viewer")?.querySelector<HTMLElement>("[data-steps]");
  const output = bar?.querySelector("[data-time]");
  const tell = () => {
    const minutes = Math.floor(player.currentTime / 60);
    if (output) output.textContent = `${minutes}:${(player.currentTime % 60).toFixed(3).padStart(6, "0")}`;
  };
  for (const kind of ["timeupdate", "seeking", "seeked"] as const) player.addEventListener(kind, tell);
  if (bar) showTools(bar, { back: () => step(-1), forward: () => step(1) });
}

const keys: Record<string, () => void> = {
  "+": () => zooms.in?.(),
  "=": () => zooms.in?.(),
  "-": () => zooms.out?.(),
  "0": () => zooms.fit?.(),
  ",": () => step(-1),
  ".": () => step(1),
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

for (const bar of document.querySelectorAll<HTMLElement>("[data-widths]")) {
  const frame = bar.closest(".viewer")?.querySelector(".marked") as HTMLElement;
  const buttons = [...bar.querySelectorAll<HTMLElement>("[data-act]")];
  const fit = (width: string, chosen: HTMLElement) => () => {
    frame.style.width = width;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button === chosen));
  };
  const widthOf = (name: string) => (name === "all" ? "" : `${name}px`);
  showTools(
    bar,
    Object.fromEntries(
      buttons.map((button) => [button.dataset.act ?? "", fit(widthOf(button.dataset.act ?? ""), button)]),
    ),
  );
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
