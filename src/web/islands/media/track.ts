/**
 * The track below a player: a waveform or a filmstrip that shows the position, and seeks by pointer, touch
 * and keys.
 */
import { formatTime } from "./play-time.js";

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

/** Enough for speech and music to look as they are, and a sixth of the memory of 48 kHz. */
const samplesPerSecond = 8_000;
const pairsMax = 1_000;

/** The whole file is decoded in memory: the page names only those that are small enough. */
async function decodeWaveform(url: string): Promise<SVGElement> {
  const response = await fetch(url);
  const context = new OfflineAudioContext(1, 1, samplesPerSecond);
  const audio = await context.decodeAudioData(await response.arrayBuffer());
  const channels = Array.from({ length: audio.numberOfChannels }, (_, at) => audio.getChannelData(at));
  return waveformOf(peaksOf(channels, audio.length));
}

type Peak = [low: number, high: number];

function peaksOf(channels: Float32Array[], length: number): Peak[] {
  const pairs = Math.min(pairsMax, length);
  const peaks: Peak[] = Array.from({ length: pairs }, () => [0, 0]);
  for (const samples of channels)
    for (let at = 0; at < length; at++) {
      const peak = peaks[Math.floor((at * pairs) / length)] as Peak;
      const sample = samples[at] as number;
      if (sample < peak[0]) peak[0] = sample;
      else if (sample > peak[1]) peak[1] = sample;
    }
  return peaks;
}

function waveformOf(peaks: Peak[]): SVGElement {
  const make = (name: string) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const y = (sample: number) => Math.round(128 - 127 * Math.min(1, Math.max(-1, sample)));
  const [svg, polygon] = [make("svg"), make("polygon")];
  const highest = peaks.map(([, high], at) => `${at},${y(high)}`);
  const lowest = peaks.map(([low], at) => `${at},${y(low) + 1}`);
  polygon.setAttribute("points", [...highest, ...lowest.toReversed()].join(" "));
  for (const [name, value] of Object.entries({
    class: "waveform",
    viewBox: `0 0 ${peaks.length - 1} 256`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  }))
    svg.setAttribute(name, value);
  svg.append(polygon);
  return svg;
}

const heightPx = 56;
/** A picture that takes longer is left out. */
const seekMs = 8_000;

const isOnce = (target: EventTarget, kind: string): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), seekMs);
    target.addEventListener(
      kind,
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      { once: true },
    );
  });

/**
 * Draws pictures at equal distances, which a second player of the same file seeks to, into a canvas in front
 * of the track. Nothing is drawn of a video that fails.
 */
async function drawFilmstrip(track: HTMLElement, video: HTMLVideoElement): Promise<void> {
  const source = document.createElement("video");
  Object.assign(source, { muted: true, playsInline: true, preload: "auto", src: video.src });
  const isLoaded = await isOnce(source, "loadeddata");
  const { videoWidth, videoHeight, duration } = source;
  if (isLoaded && videoWidth > 0 && Number.isFinite(duration)) {
    const canvas = document.createElement("canvas");
    canvas.className = "filmstrip";
    canvas.setAttribute("aria-hidden", "true");
    const scale = devicePixelRatio;
    canvas.height = heightPx * scale;
    canvas.width = Math.max(1, track.clientWidth) * scale;
    track.prepend(canvas);
    const each = Math.min(
      canvas.width,
      Math.max(heightPx / 2, (heightPx * videoWidth) / videoHeight) * scale,
    );
    const count = Math.ceil(canvas.width / each);
    for (let at = 0; at < count; at++) {
      const middle = Math.min(canvas.width, (at + 0.5) * each);
      source.currentTime = (middle / canvas.width) * duration;
      if (await isOnce(source, "seeked"))
        canvas.getContext("2d")?.drawImage(source, at * each, 0, each, canvas.height);
    }
    canvas.dataset.drawn = String(count);
  }
  // Ends its download.
  source.removeAttribute("src");
  source.load();
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
