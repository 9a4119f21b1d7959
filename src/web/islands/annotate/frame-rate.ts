/** Which frame a video shows: `currentTime` is not exact, and the server may not know the frame rate. */

interface FrameTimes {
  /** `mediaTime` of the frame that is shown, in seconds. */
  mediaTime: number;
  /** Of frames that followed each other while it played, in seconds. */
  gaps: number[];
}

const videos = new WeakMap<HTMLMediaElement, FrameTimes>();
const gapsMin = 12;
const gapsMax = 240;
/** Frames as far apart as at 10 to 240 per second. */
const longestGap = 1 / 9;
const isGap = (seconds: number): boolean => seconds > 1 / 250 && seconds < longestGap;

/** Watches the frames that a video shows. */
export function watchFrames(video: HTMLVideoElement): void {
  const frames: FrameTimes = { mediaTime: 0, gaps: [] };
  videos.set(video, frames);
  const note = (_now: number, { mediaTime }: VideoFrameCallbackMetadata) => {
    const gap = mediaTime - frames.mediaTime;
    if (!video.paused && isGap(gap)) frames.gaps = [...frames.gaps.slice(1 - gapsMax), gap];
    frames.mediaTime = mediaTime;
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
}

const rates = ["24000/1001", "24", "25", "30000/1001", "30", "48", "50", "60000/1001", "60", "120"];
const perSecond = (rate: string): number => {
  const [count = "", seconds = "1"] = rate.split("/");
  return Number(count) / Number(seconds);
};

/** The usual rate that the gaps agree with; undefined if they vary, or match none. */
export function rateOf(gaps: number[]): string | undefined {
  if (gaps.length < gapsMin) return undefined;
  const base = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] as number;
  const counts = gaps.map((gap) => Math.round(gap / base));
  const isConstant = gaps.every((gap, index) => Math.abs(gap - (counts[index] ?? 0) * base) < 0.002);
  const frames = counts.reduce((sum, count) => sum + count, 0);
  const measured = frames / gaps.reduce((sum, gap) => sum + gap, 0);
  // 30 and 29.97 are 0.1 % apart.
  return isConstant ? rates.find((rate) => Math.abs(perSecond(rate) / measured - 1) < 0.0004) : undefined;
}

/** The time of the frame that is shown and, if the rate is known, its number from 0. */
export function frameOf(player: HTMLMediaElement): { seconds: number; frame?: string; fps?: string } {
  const { gaps = [], mediaTime = 0 } = videos.get(player) ?? {};
  const fps = player.dataset.fps ?? rateOf(gaps);
  // The browser reports a frame after it shows it: one that is too old is of before the last seek.
  const each = fps ? 1 / perSecond(fps) : longestGap;
  const seconds = Math.abs(player.currentTime - mediaTime) < each ? mediaTime : player.currentTime;
  if (!fps) return { seconds };
  const frame = Math.floor(seconds / each + 0.01);
  return { seconds: frame * each, fps, frame: String(frame) };
}
