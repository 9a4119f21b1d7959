/** Viewer controls: zoom and pan, synchronized in comparisons; frame stepping; wipe, flicker, difference. */

const frames = [...document.querySelectorAll<HTMLElement>("[data-zoom]")];
const place = { scale: 1, x: 0, y: 0 };
const scaleMax = 16;

function paint(): void {
  const [first] = frames;
  if (!first) return;
  // Limit panning to the edges of the image.
  const room = (size: number) => (size * (place.scale - 1)) / 2;
  const [roomX, roomY] = [room(first.clientWidth), room(first.clientHeight)];
  place.x = Math.min(roomX, Math.max(-roomX, place.x));
  place.y = Math.min(roomY, Math.max(-roomY, place.y));
  for (const frame of frames) {
    frame.classList.toggle("zoomed", place.scale > 1);
    for (const image of frame.querySelectorAll("img"))
      image.style.transform =
        place.scale === 1 ? "" : `translate(${place.x}px, ${place.y}px) scale(${place.scale})`;
  }
  const shown = place.scale === 1 ? "Fit" : `${Math.round(place.scale * fitScale() * 100)}%`;
  for (const output of document.querySelectorAll("[data-scale]")) output.textContent = shown;
}

/** Zooms around a point, in px from the center of the frame. */
function zoom(scale: number, x = 0, y = 0): void {
  const to = Math.min(scaleMax, Math.max(1, scale));
  const by = to / place.scale;
  Object.assign(place, { scale: to, x: x - (x - place.x) * by, y: y - (y - place.y) * by });
  paint();
}

/** Device pixels per image pixel while the image fits its frame; 1 before it has loaded. */
function fitScale(): number {
  const image = frames[0]?.querySelector("img");
  return image?.naturalWidth ? (image.clientWidth * devicePixelRatio) / image.naturalWidth : 1;
}

/** Zooms to 1:1, one image pixel per device pixel. */
const full = (): void => zoom(1 / fitScale());

function move(x: number, y: number): void {
  place.x += x;
  place.y += y;
  paint();
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
      if (!event.ctrlKey && place.scale === 1) return;
      event.preventDefault();
      zoom(place.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15), ...fromMiddle(event));
    },
    { passive: false },
  );
  frame.addEventListener("pointerdown", (event) => {
    if (place.scale === 1) return;
    frame.setPointerCapture(event.pointerId);
    frame.onpointermove = (moved) => move(moved.movementX, moved.movementY);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    frame.addEventListener(end, () => (frame.onpointermove = null));
  frame.addEventListener("dblclick", (event) =>
    place.scale === 1 ? zoom(3, ...fromMiddle(event)) : zoom(1),
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
    if (!arrow || place.scale === 1) return;
    event.preventDefault();
    move(...arrow);
  });
}

const zooms: Record<string, () => void> = {
  in: () => zoom(place.scale * 1.5),
  out: () => zoom(place.scale / 1.5),
  fit: () => zoom(1),
  full,
};

function showTools(bar: HTMLElement, works: Record<string, () => void>): void {
  bar.hidden = false;
  for (const button of bar.querySelectorAll<HTMLButtonElement>("[data-act]"))
    button.addEventListener("click", () => works[button.dataset.act ?? ""]?.());
}
for (const bar of document.querySelectorAll<HTMLElement>("[data-zoom-bar]")) showTools(bar, zooms);

/** Videos or audio files side by side play, pause, and step in sync. */
const timed = [...document.querySelectorAll<HTMLMediaElement>("video, audio")];
let frameSeconds = 1 / 30;

function step(count: number): void {
  for (const one of timed) {
    one.pause();
    one.currentTime = Math.max(
      0,
      one.currentTime + count * (one instanceof HTMLVideoElement ? frameSeconds : 0.1),
    );
  }
}

/** The DOM does not expose the frame rate of a video, so it is measured while the video plays. */
function learnFrames(video: HTMLVideoElement): void {
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
const echoes = new Map<HTMLMediaElement, Set<string>>(timed.map((one) => [one, new Set()]));

function passOn(kind: "play" | "pause" | "seeked", from: HTMLMediaElement, to: HTMLMediaElement): void {
  const echo = echoes.get(to);
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

for (const one of timed) {
  if (one instanceof HTMLVideoElement) learnFrames(one);
  for (const kind of ["play", "pause", "seeked"] as const) {
    one.addEventListener(kind, () => {
      if (echoes.get(one)?.delete(kind)) return;
      for (const other of timed) if (other !== one) passOn(kind, one, other);
    });
  }
  const bar = one.parentElement?.querySelector<HTMLElement>("[data-steps]");
  const output = bar?.querySelector("[data-time]");
  const tell = () => {
    const minutes = Math.floor(one.currentTime / 60);
    if (output) output.textContent = `${minutes}:${(one.currentTime % 60).toFixed(3).padStart(6, "0")}`;
  };
  for (const kind of ["timeupdate", "seeking", "seeked"] as const) one.addEventListener(kind, tell);
  if (bar) showTools(bar, { back: () => step(-1), forth: () => step(1) });
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
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    (event.target as HTMLElement).matches("input:not([type=range]), textarea, select")
  )
    return;
  keys[event.key]?.();
});

const over = document.getElementById("over");
const upper = over?.querySelector<HTMLElement>(".upper");
const wipe = document.getElementById("wipe") as HTMLInputElement | null;
const cut = () => upper && wipe && (upper.style.clipPath = `inset(0 0 0 ${wipe.value}%)`);
wipe?.addEventListener("input", cut);
cut();

/** Dragging moves the wipe edge; when zoomed in, it pans the images instead. */
function dragEdge({ clientX }: PointerEvent): void {
  if (!upper || !wipe || place.scale > 1) return;
  const { left, width } = upper.getBoundingClientRect();
  wipe.value = String(((clientX - left) / width) * 100);
  cut();
}
if (over && wipe) {
  (wipe.closest("[data-wipe]") as HTMLElement).hidden = false;
  over.addEventListener("pointerdown", (event) => {
    if (place.scale > 1) return;
    over.setPointerCapture(event.pointerId);
    dragEdge(event);
    over.onpointermove = dragEdge;
  });
}

const amplify = document.getElementById("amplify") as HTMLInputElement | null;
if (over && amplify) {
  (amplify.closest("[data-amplify]") as HTMLElement).hidden = false;
  amplify.addEventListener("input", () => (over.style.filter = `brightness(${amplify.value})`));
}

for (const bar of document.querySelectorAll<HTMLElement>("[data-widths]")) {
  const frame = bar.previousElementSibling as HTMLElement;
  const buttons = [...bar.querySelectorAll<HTMLElement>("[data-act]")];
  const fit = (width: string, chosen: HTMLElement) => () => {
    frame.style.width = width;
    for (const one of buttons) one.setAttribute("aria-pressed", String(one === chosen));
  };
  const widthOf = (name: string) => (name === "all" ? "" : `${name}px`);
  showTools(
    bar,
    Object.fromEntries(
      buttons.map((one) => [one.dataset.act ?? "", fit(widthOf(one.dataset.act ?? ""), one)]),
    ),
  );
}

const flicker = document.querySelector<HTMLElement>("[data-flicker]");
if (flicker && upper) {
  const shown = flicker.querySelector("[data-shown]") as HTMLElement;
  const [older = "", newer = ""] = (shown.dataset.names ?? "").split(" ");
  const pause = flicker.querySelector('[data-act="pause"]') as HTMLElement;
  const other = () => {
    upper.classList.toggle("away");
    shown.textContent = upper.classList.contains("away") ? older : newer;
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
