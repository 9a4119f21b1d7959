/**
 * Two videos or audio files on one clock: what is done to one is done to the other, and a bar controls both.
 */
import { formatTime } from "../media/play-time.js";
import { frameSeconds, players, step } from "../media/players.js";
import { showTools } from "../media/tools.js";
import { isForElsewhere } from "../page/keys.js";
import { correctionOf } from "./clock-drift.js";

const bar = document.querySelector<HTMLElement>("[data-clock]");
const correctEveryMs = 200;
/** Times that are closer are the same frame. */
const sameSeconds = 0.02;

type Mirrored = "play" | "pause" | "seeked";

/** Events that this script caused itself, which must not be mirrored again. */
const ownEvents = new WeakMap<HTMLMediaElement, Set<Mirrored>>(
  players.map((player) => [player, new Set<Mirrored>()]),
);

function seek(player: HTMLMediaElement, seconds: number): void {
  ownEvents.get(player)?.add("seeked");
  player.currentTime = seconds;
}

function mirror(kind: Mirrored, from: HTMLMediaElement, to: HTMLMediaElement): void {
  const own = ownEvents.get(to);
  const end = Number.isFinite(to.duration) ? to.duration : from.currentTime;
  const time = Math.min(from.currentTime, end);
  if (Math.abs(to.currentTime - time) > sameSeconds) seek(to, time);
  if (kind === "play" && to.paused && time < end) {
    own?.add(kind);
    to.play().catch(() => own?.delete(kind)); // interrupted by a pause, or blocked by autoplay rules
  }
  // When the shorter one ends, the longer one keeps playing.
  if (kind === "pause" && !to.paused && !from.ended) {
    own?.add(kind);
    to.pause();
  }
}

function start(clock: HTMLElement, one: HTMLMediaElement, two: HTMLMediaElement): void {
  /** The longer one has the time. */
  const leader = () => (one.duration > two.duration ? one : two);
  const follower = () => (leader() === one ? two : one);
  const frame = two instanceof HTMLVideoElement ? () => frameSeconds(two) : () => sameSeconds;

  const correct = () => {
    const [leading, following] = [leader(), follower()];
    if (leading.paused || following.paused || following.readyState < HTMLMediaElement.HAVE_FUTURE_DATA)
      return;
    const correction = correctionOf(leading.currentTime - following.currentTime, frame());
    if (correction.seek) seek(following, leading.currentTime);
    else following.playbackRate = leading.playbackRate * correction.rate;
  };
  setInterval(correct, correctEveryMs);

  for (const [from, to] of [
    [one, two],
    [two, one],
  ] as const)
    for (const kind of ["play", "pause", "seeked"] as const)
      from.addEventListener(kind, () => {
        if (!ownEvents.get(from)?.delete(kind)) mirror(kind, from, to);
      });

  const slider = clock.querySelector<HTMLInputElement>("[data-seek]") as HTMLInputElement;
  const output = clock.querySelector("[data-clock-time]") as HTMLElement;
  const play = clock.querySelector('[data-act="play"]') as HTMLElement;
  const sounds = [...clock.querySelectorAll<HTMLElement>("[data-act^=sound]")];
  const isPlaying = () => !one.paused || !two.paused;
  const show = () => {
    const { currentTime, duration } = leader();
    slider.max = String(duration || 0);
    slider.value = String(currentTime);
    slider.setAttribute("aria-valuetext", formatTime(currentTime));
    output.textContent = formatTime(currentTime);
    play.textContent = isPlaying() ? "Pause both" : "Play both";
  };
  const hear = (heard: HTMLMediaElement) => {
    for (const [index, player] of [one, two].entries()) {
      player.muted = player !== heard;
      sounds[index]?.setAttribute("aria-pressed", String(player === heard));
    }
  };
  const toggle = () => {
    if (isPlaying()) leader().pause();
    else leader().play().catch(show); // interrupted by a pause or its end
  };

  for (const player of [one, two])
    for (const kind of ["timeupdate", "seeking", "seeked", "play", "pause", "durationchange"] as const)
      player.addEventListener(kind, show);
  slider.addEventListener("input", () => {
    leader().currentTime = Number(slider.value);
  });
  showTools(clock, {
    play: toggle,
    back: () => step(-1),
    forward: () => step(1),
    "sound-0": () => hear(one),
    "sound-1": () => hear(two),
  });
  document.addEventListener("keydown", (event) => {
    const isOnControl = (event.target as Element).closest(
      "button, a, summary, video, audio, input, [role=slider]",
    );
    if (event.key !== " " || isOnControl || isForElsewhere(event)) return;
    event.preventDefault();
    toggle();
  });
  hear(two);
  show();
}

const [one, two] = players;
if (bar && one && two) start(bar, one, two);
