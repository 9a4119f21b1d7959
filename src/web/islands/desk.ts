/** The review desk: keys, a verdict that can be taken back for ten seconds, zoom, ways to compare. */
import { call } from "./session.js";

const undoMs = 10_000;
/** The verdict that this tab holds; it moves with us to the next asset. */
const held = "svc-verdict";

interface Verdict {
  id: string;
  title: string;
  decision: "approved" | "rejected";
  note?: string;
  sha256: string;
  sendAt: number;
}

const desk = document.getElementById("desk") as HTMLElement;
const toast = document.getElementById("toast") as HTMLElement;
const form = document.getElementById("review") as HTMLFormElement | null;
const note = form?.elements.namedItem("note") as HTMLTextAreaElement | null;
const follow = (id: string) => (document.getElementById(id) as HTMLAnchorElement | null)?.href;

let leavingForNext = false;
let timer = 0;

const load = (): Verdict | null => JSON.parse(sessionStorage.getItem(held) ?? "null");

/** Sends what is held, at once. */
async function send(keepalive = false): Promise<void> {
  clearTimeout(timer);
  const verdict = load();
  if (!verdict) return;
  sessionStorage.removeItem(held);
  const { id, decision, note, sha256 } = verdict;
  try {
    await call("PUT", `/assets/${id}/review`, { decision, sha256, ...(note ? { note } : {}) }, keepalive);
    say(`${verdict.title} is ${decision}.`);
  } catch (error) {
    say(`${verdict.title} was not ${decision}: ${(error as Error).message}`);
  }
}

function say(text: string, undo?: () => void): void {
  toast.hidden = false;
  toast.textContent = text;
  if (!undo) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Undo (U)";
  button.onclick = undo;
  toast.append(" ", button);
}

function hold(verdict: Verdict): void {
  sessionStorage.setItem(held, JSON.stringify(verdict));
  say(`${verdict.title}: ${verdict.decision}.`, undo);
  clearTimeout(timer);
  timer = window.setTimeout(() => void send(), Math.max(0, verdict.sendAt - Date.now()));
}

function undo(): void {
  const verdict = load();
  if (!verdict) return;
  clearTimeout(timer);
  sessionStorage.removeItem(held);
  say("Taken back; nothing was written.");
  if (verdict.id !== desk.dataset.id) location.assign(`/assets/${verdict.id}${location.search}`);
}

async function judge(decision: "approved" | "rejected"): Promise<void> {
  const text = note?.value.trim() ?? "";
  if (decision === "rejected" && text === "") {
    note?.focus();
    return say("A rejection needs a note: it tells the next attempt what to do better.");
  }
  await send(); // one verdict is held at a time
  const title = document.querySelector("h1")?.textContent ?? "";
  hold({
    id: desk.dataset.id as string,
    title,
    decision,
    sha256: desk.dataset.sha256 as string,
    sendAt: Date.now() + undoMs,
    ...(text ? { note: text } : {}),
  });
  go(follow("next"));
}

function go(address: string | undefined): void {
  if (!address) return;
  leavingForNext = true;
  location.assign(address);
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const { value } = (event as SubmitEvent).submitter as HTMLButtonElement;
  void judge(value as Verdict["decision"]);
});

const keys: Record<string, () => void> = {
  j: () => go(follow("next")),
  k: () => go(follow("previous")),
  a: () => form && void judge("approved"),
  r: () => (note?.value ? void judge("rejected") : note?.focus()),
  u: undo,
  "1": () => location.assign(location.pathname),
  "2": () => document.querySelector<HTMLAnchorElement>("[data-compare]")?.click(),
  "?": () => (document.getElementById("keys") as HTMLDialogElement).showModal(),
  ",": () => step(-1),
  ".": () => step(1),
};

document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target === note && event.key === "Escape") return note.blur();
  if (target.matches("input, textarea, select")) return;
  const work = keys[event.key.toLowerCase()];
  if (!work) return;
  event.preventDefault();
  work();
});

/** Elsewhere than to the next asset: what is held goes now. */
addEventListener("pagehide", () => {
  if (!leavingForNext) void send(true);
});

function step(frames: number): void {
  for (const video of document.querySelectorAll("video")) {
    video.pause();
    video.currentTime += frames / 30;
  }
}

/** Zoom by wheel, pan by dragging, both images of a comparison alike. */
const zoomed = [...document.querySelectorAll<HTMLElement>("[data-zoom]")];
const place = { scale: 1, x: 0, y: 0 };
function paint(): void {
  for (const viewer of zoomed) {
    const image = viewer.querySelector("img");
    if (image) image.style.transform = `translate(${place.x}px, ${place.y}px) scale(${place.scale})`;
  }
}
for (const viewer of zoomed) {
  viewer.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && place.scale === 1 && event.deltaY > 0) return;
      event.preventDefault();
      place.scale = Math.min(16, Math.max(1, place.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15)));
      if (place.scale === 1) Object.assign(place, { x: 0, y: 0 });
      paint();
    },
    { passive: false },
  );
  viewer.addEventListener("pointerdown", (event) => {
    viewer.setPointerCapture(event.pointerId);
    viewer.onpointermove = (move) => {
      place.x += move.movementX;
      place.y += move.movementY;
      paint();
    };
  });
  viewer.addEventListener("pointerup", () => {
    viewer.onpointermove = null;
  });
  viewer.addEventListener("dblclick", () => {
    Object.assign(place, place.scale === 1 ? { scale: 3 } : { scale: 1, x: 0, y: 0 });
    paint();
  });
}

/** Videos beside each other play together. */
const videos = [...document.querySelectorAll("video")];
for (const video of videos) {
  for (const kind of ["play", "pause", "seeked"] as const) {
    video.addEventListener(kind, () => {
      for (const other of videos.filter((one) => one !== video)) {
        if (Math.abs(other.currentTime - video.currentTime) > 0.05) other.currentTime = video.currentTime;
        if (kind === "play" && other.paused) void other.play();
        if (kind === "pause" && !other.paused) other.pause();
      }
    });
  }
}

const wipe = document.getElementById("wipe") as HTMLInputElement | null;
const upper = document.querySelector<HTMLElement>("#over .upper");
const cut = () => upper && wipe && (upper.style.clipPath = `inset(0 0 0 ${wipe.value}%)`);
wipe?.addEventListener("input", cut);
cut();
if (document.querySelector("#over.flicker")) setInterval(() => upper && (upper.hidden = !upper.hidden), 700);

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy as string);
    button.textContent = "Copied";
  });
}

const carried = load();
if (carried) hold(carried);
