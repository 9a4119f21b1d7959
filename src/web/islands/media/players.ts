/** Videos and audio files: stepping by frames, seeking in their track, and two side by side in sync. */
import { isForElsewhere } from "../page/keys.js";
import { showTools } from "./tools.js";
import "./track.js";

/** Videos or audio files side by side play, pause, and step in sync. */
const players = [...document.querySelectorAll<HTMLMediaElement>("video, audio")];
/** For a video whose rate the server does not know, and that has not played yet. */
let measuredSeconds = 1 / 30;

/** Seconds from a frame to the next one. */
function frameSeconds({ dataset }: HTMLVideoElement): number {
  const [frames = "", seconds = "1"] = (dataset.fps ?? "").split("/");
  return dataset.fps ? Number(seconds) / Number(frames) : measuredSeconds;
}

/** Browsers round times to microseconds, so the exact start of a frame may show the one before. */
const insideFrame = 0.0001;

/** The time of the frame that is so many after the one shown. */
function frameTime(video: HTMLVideoElement, count: number): number {
  const each = frameSeconds(video);
  const shown = Math.floor(video.currentTime / each + 0.01);
  return Math.max(0, shown + count) * each + insideFrame;
}

function step(count: number): void {
  for (const player of players) {
    player.pause();
    player.currentTime =
      player instanceof HTMLVideoElement
        ? frameTime(player, count)
        : Math.max(0, player.currentTime + count * 0.1);
  }
}

function measureFrameTime(video: HTMLVideoElement): void {
  let last = 0;
  const see = (_now: number, { mediaTime }: VideoFrameCallbackMetadata) => {
    const took = mediaTime - last;
    if (!video.paused && took > 1 / 240 && took < 1 / 10) measuredSeconds = took;
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

const stepKeys: Record<string, number> = { ",": -1, ".": 1 };
document.addEventListener("keydown", (event) => {
  const count = stepKeys[event.key];
  if (count && !isForElsewhere(event)) step(count);
});
