/** In the child: what a player shows below an audio file or a video. */

import type { BlockReader } from "../bytes.ts";
import { openMedia } from "../media.ts";
import type { Timeline } from "../port.ts";
import { isIndexLast } from "./fast-start.ts";
import { frameRateOf } from "./frame-rate.ts";
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
