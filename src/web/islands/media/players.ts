/** Videos and audio files: stepping by frames, and seeking in their track. */
import { isForElsewhere } from "../page/keys.js";
import { formatTime } from "./play-time.js";
import { showTools } from "./tools.js";
import "./track.js";

export const players = [...document.querySelectorAll<HTMLMediaElement>("video, audio")];
/** Says that the browser cannot play a file, and offers its download. */
function sayUnplayable(player: HTMLMediaElement): void {
  const message = player.closest(".viewer")?.querySelector<HTMLElement>("[data-unplayable]");
  if (message) message.hidden = false;
}
for (const player of players) {
  player.addEventListener("error", () => sayUnplayable(player));
  if (player.error) sayUnplayable(player);
}

/** For a video whose rate the server does not know, and that has not played yet. */
let measuredSeconds = 1 / 30;

/** Seconds from a frame to the next one. */
export function frameSeconds({ dataset }: HTMLVideoElement): number {
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

/** Steps from what the last one shows: two side by side stay at one time. */
export function step(count: number): void {
  const last = players.at(-1);
  if (!last) return;
  const time =
    last instanceof HTMLVideoElement ? frameTime(last, count) : Math.max(0, last.currentTime + count * 0.1);
  for (const player of players) {
    player.pause();
    player.currentTime = time;
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

for (const player of players) {
  if (player instanceof HTMLVideoElement) measureFrameTime(player);
  const bar = player.closest(".viewer")?.querySelector<HTMLElement>("[data-steps]");
  const output = bar?.querySelector("[data-time]");
  const tell = () => {
    if (output) output.textContent = formatTime(player.currentTime);
  };
  for (const kind of ["timeupdate", "seeking", "seeked"] as const) player.addEventListener(kind, tell);
  if (bar) showTools(bar, { back: () => step(-1), forward: () => step(1) });
}

const stepKeys: Record<string, number> = { ",": -1, ".": 1 };
document.addEventListener("keydown", (event) => {
  const count = stepKeys[event.key];
  if (count && !isForElsewhere(event)) step(count);
});
