/** Whether two sounds are the same after another encoding, by their samples. */
import type { PlaceState } from "./schema.ts";

/** At 8,000 samples a second: what encoders delay a sound by at most, and a window of a tenth of a second. */
const [delayMax, windowLength] = [160, 800] as const;
/** Samples that a delay is tried with. */
const triedSamples = 4_000;
/**
 * The energy of the difference of a window, in shares of its own: MP3, AAC, and Opus leave less than the
 * first of tones, speech, and music, a change of 2 dB more, and Opus up to a third of noise. Above the last,
 * nothing is left of the sound.
 */
const [noiseMax, otherMin] = [0.035, 0.5] as const;
/** Encoders keep the loudness: of a window, the ratio of energies by 1 dB. */
const loudnessMax = 1.26;
/** Quieter windows have as little of the energy of all, and silence is below a level of 10. */
const [quietShare, silence] = [0.02, 100] as const;

export function compareSounds(before: Int16Array, after: Int16Array): PlaceState {
  const length = Math.min(before.length, after.length) - 2 * delayMax;
  if (length < windowLength || Math.abs(before.length - after.length) > 2 * delayMax) return "changed";
  const windows = windowsOf(before, after, { delay: delayOf(before, after, length), length });
  const differences = windows.map(({ difference }) => difference).toSorted((a, b) => a - b);
  const [median, worst] = [differences[differences.length >> 1] ?? 0, differences.at(-1) ?? 0];
  const isAsLoud = windows.every(({ loudness }) => loudness < loudnessMax && loudness > 1 / loudnessMax);
  if (!isAsLoud || worst > otherMin) return "changed";
  if (worst <= noiseMax) return "unchanged";
  return median <= noiseMax ? "changed" : "unknown";
}

/** By how many samples the second is later, where they correlate best. */
function delayOf(before: Int16Array, after: Int16Array, length: number): number {
  const step = Math.max(1, Math.floor(length / triedSamples));
  let [best, score] = [0, Number.NEGATIVE_INFINITY];
  for (let delay = -delayMax; delay <= delayMax; delay++) {
    let [both, own] = [0, 0];
    for (let at = delayMax; at < delayMax + length; at += step) {
      const other = after[at + delay] as number;
      both += (before[at] as number) * other;
      own += other * other;
    }
    const found = own > 0 ? both / Math.sqrt(own) : 0;
    if (found > score) [best, score] = [delay, found];
  }
  return best;
}

interface SoundWindow {
  difference: number;
  /** The energy of the second by that of the first. */
  loudness: number;
}

function windowsOf(
  before: Int16Array,
  after: Int16Array,
  { delay, length }: { delay: number; length: number },
): SoundWindow[] {
  const sums: { difference: number; one: number; other: number }[] = [];
  for (let start = delayMax; start + windowLength <= delayMax + length; start += windowLength / 2) {
    let [difference, one, other] = [0, 0, 0];
    for (let at = start; at < start + windowLength; at++) {
      const [level, now] = [before[at] as number, after[at + delay] as number];
      difference += (level - now) ** 2;
      one += level * level;
      other += now * now;
    }
    sums.push({ difference, one, other });
  }
  const mean = sums.reduce((sum, { one }) => sum + one, 0) / sums.length;
  const least = Math.max(mean * quietShare, silence * windowLength);
  return sums.map(({ difference, one, other }) => ({
    difference: difference / Math.max(one, other, least),
    loudness: Math.max(other, least) / Math.max(one, least),
  }));
}
