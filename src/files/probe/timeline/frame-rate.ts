/** The frame rate of a video, from the times of its first frames in the container: nothing is decoded. */
import { EncodedPacketSink, type InputVideoTrack } from "mediabunny";

/** Usual rates, in the form that annotations name them in. */
const usualRates = ["24000/1001", "24", "25", "30000/1001", "30", "48", "50", "60000/1001", "60", "120"];
const framesRead = 240;
/** H.264 and HEVC reorder up to 16 frames. */
const reorderedMax = 16;
const framesMin = 3;
/** WebM has times in whole milliseconds. */
const roundingSeconds = 0.0021;
const perSecondMax = 240;

/** `25` or `30000/1001`; null for a variable rate, and for fewer frames than tell one. */
export async function frameRateOf(track: InputVideoTrack): Promise<string | null> {
  const times: number[] = [];
  for await (const { timestamp } of new EncodedPacketSink(track).packets(undefined, undefined, {
    metadataOnly: true,
  }))
    if (times.push(timestamp) === framesRead) break;
  // Packets are in decoding order: frames that were not read may belong before the last ones.
  return rateOf(times.toSorted((a, b) => a - b).slice(0, framesRead - reorderedMax));
}

/** @param times of consecutive frames, in seconds */
export function rateOf(times: number[]): string | null {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const perSecond = (times.length - 1) / (last - first);
  if (times.length < framesMin || !(perSecond > 0 && perSecond <= perSecondMax)) return null;
  const isConstant = times.every(
    (time, index) => Math.abs(time - first - index / perSecond) < roundingSeconds,
  );
  if (!isConstant) return null;
  // Over a few frames, rounded times do not tell 30 from 29.97.
  const tolerance = Math.max(0.0004, roundingSeconds / (last - first));
  const usual = usualRates
    .map((rate) => ({ rate, distance: Math.abs(perSecondOf(rate) / perSecond - 1) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  if (usual && usual.distance < tolerance) return usual.rate;
  const whole = Math.round(perSecond);
  const isWhole = whole > 0 && Math.abs(whole / perSecond - 1) < tolerance;
  return isWhole ? String(whole) : `${Math.round(perSecond * 1000)}/1000`;
}

function perSecondOf(rate: string): number {
  const [count = "", seconds = "1"] = rate.split("/");
  return Number(count) / Number(seconds);
}
