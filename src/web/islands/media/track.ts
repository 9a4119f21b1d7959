/** The track below a player: shows the position, and seeks by pointer, touch and keys. */
import { drawFilmstrip } from "./filmstrip.js";
import { formatTime } from "./play-time.js";
import { decodeWaveform } from "./waveform.js";

/** Part of the duration that an arrow key moves. */
const [arrowPart, pagePart] = [0.01, 0.1];

/** Lays a slider over the track, once it shows something; links of annotations are above it, not in it. */
function seekBy(track: HTMLElement, player: HTMLMediaElement): void {
  const seconds = Number(track.dataset.seconds);
  const slider = document.createElement("div");
  const head = document.createElement("span");
  slider.className = "seek";
  head.className = "playhead";
  slider.append(head);
  track.querySelector(".timeline")?.before(slider);
  slider.tabIndex = 0;
  for (const [name, value] of Object.entries({
    role: "slider",
    "aria-label": "Position",
    "aria-valuemin": "0",
    "aria-valuemax": String(Math.round(seconds)),
  }))
    slider.setAttribute(name, value);
  const tell = () => {
    head.style.left = `${Math.min(100, (player.currentTime / seconds) * 100)}%`;
    slider.setAttribute("aria-valuenow", String(Math.round(player.currentTime)));
    slider.setAttribute("aria-valuetext", formatTime(player.currentTime));
  };
  for (const kind of ["timeupdate", "seeking", "seeked"] as const) player.addEventListener(kind, tell);
  tell();
  const seek = (to: number) => (player.currentTime = Math.min(seconds, Math.max(0, to)));

  /** The latest position while the player still seeks to an earlier one: not every one of a drag is shown. */
  let next: number | null = null;
  const seekTo = ({ clientX }: PointerEvent) => {
    const { left, width } = slider.getBoundingClientRect();
    const to = ((clientX - left) / width) * seconds;
    if (player.seeking) next = to;
    else seek(to);
  };
  player.addEventListener("seeked", () => {
    if (next !== null) seek(next);
    next = null;
  });
  slider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    player.pause();
    slider.setPointerCapture(event.pointerId);
    slider.onpointermove = seekTo;
    seekTo(event);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    slider.addEventListener(end, () => (slider.onpointermove = null));

  const targets: Record<string, () => number> = {
    ArrowLeft: () => player.currentTime - seconds * arrowPart,
    ArrowRight: () => player.currentTime + seconds * arrowPart,
    PageDown: () => player.currentTime - seconds * pagePart,
    PageUp: () => player.currentTime + seconds * pagePart,
    Home: () => 0,
    End: () => seconds,
  };
  slider.addEventListener("keydown", (event) => {
    const target = targets[event.key];
    if (!target || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    seek(target());
  });
}

async function show(track: HTMLElement, player: HTMLMediaElement): Promise<void> {
  if (player instanceof HTMLVideoElement) await drawFilmstrip(track, player);
  else if (track.dataset.decode) track.prepend(await decodeWaveform(track.dataset.decode));
  if (track.querySelector(".waveform, .filmstrip")) seekBy(track, player);
}

/** Files are read only for tracks that are looked at. */
const sight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    const player = target.closest(".viewer")?.querySelector<HTMLMediaElement>("video, audio");
    if (!isIntersecting || !player) continue;
    sight.unobserve(target);
    // Without a waveform the player still works: the browser cannot decode the file.
    void show(target as HTMLElement, player).catch(() => {});
  }
});
for (const track of document.querySelectorAll("[data-track]")) sight.observe(track);
