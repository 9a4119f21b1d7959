/** In the child: what a player shows below an audio file or a video. */

import { EncodedPacketSink, type InputVideoTrack } from "mediabunny";
import type { BlockReader } from "../bytes.ts";
import { openMedia } from "../media/media.ts";
import type { Timeline } from "../port.ts";
import { wavPeaks } from "./wav.ts";

const quickTime = new Set(["video/mp4", "video/quicktime", "video/x-m4v", "video/3gpp", "video/3gpp2"]);

/** A part that the file does not tell, or cannot be read, is null. */
export async function readTimeline(file: BlockReader, mime: string): Promise<Timeline> {
  if (mime === "audio/wav") return { ...nothing, peaks: wavPeaks(file) };
  return {
    ...nothing,
    frame_rate: await readFrameRate(file, mime).catch(() => null),
    is_index_last: quickTime.has(mime) && isIndexLast(file),
  };
}

const nothing: Timeline = { peaks: null, frame_rate: null, is_index_last: false };

async function readFrameRate(file: BlockReader, mime: string): Promise<string | null> {
  using input = openMedia(file, mime);
  const track = await input?.getPrimaryVideoTrack();
  return track ? await frameRateOf(track) : null;
}

const boxesMax = 64;

/** Whether its index (`moov`) comes after the media data (ISO/IEC 14496-12, 4.2 and 8.2). */
function isIndexLast(file: BlockReader): boolean {
  let at = 0;
  for (let box = 0; box < boxesMax && at + 8 <= file.size; box++) {
    const header = Buffer.from(file.read(at, 16));
    const name = header.toString("latin1", 4, 8);
    if (name === "moov") return false;
    if (name === "mdat") return true;
    const size = header.readUInt32BE(0);
    // 1: a 64-bit size follows; 0: up to the end of the file
    const length = size === 1 && header.length === 16 ? Number(header.readBigUInt64BE(8)) : size;
    if (length < 8) return false;
    at += length;
  }
  return false;
}

/** Usual rates, in the form that annotations name them in. */
const usualRates = ["24000/1001", "24", "25", "30000/1001", "30", "48", "50", "60000/1001", "60", "120"];
const framesRead = 240;
/** H.264 and HEVC reorder up to 16 frames. */
const reorderedMax = 16;
const framesMin = 3;
/** WebM has times in whole milliseconds. */
const roundingSeconds = 0.0021;
const perSecondMax = 240;

/**
 * `25` or `30000/1001`, from the times of the first frames in the container: nothing is decoded. Null for a
 * variable rate, and for fewer frames than tell one.
 */
async function frameRateOf(track: InputVideoTrack): Promise<string | null> {
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
