/** Below a player: the waveform or the filmstrip of the file, with its annotations. */
import { Timeline } from "../../annotations/timeline.tsx";
import type { MediaProps } from "./media.tsx";

/** Larger or longer audio is not decoded in the browser, which holds all of it in memory. */
const [decodedBytesMax, decodedMsMax] = [32 * 2 ** 20, 30 * 60_000];

interface TrackProps extends MediaProps {
  /** Pairs of the lowest and highest sample, from -127 to 127. */
  peaks: number[] | null;
}

/** Scripts seek where it is pressed. Null for a file of unknown duration. */
export function Track({ src, asset, pins, peaks }: TrackProps) {
  const duration = asset.duration_ms;
  if (!duration) return null;
  const isDecoded =
    asset.kind === "audio" && !peaks && asset.size <= decodedBytesMax && duration <= decodedMsMax;
  return (
    <div
      class="track"
      data-track={asset.kind}
      data-seconds={duration / 1000}
      data-decode={isDecoded ? src : undefined}
    >
      {peaks && <Waveform peaks={peaks} />}
      <Timeline asset={asset} pins={pins} />
    </div>
  );
}

/** The highest samples from left to right, and the lowest back, as in `islands/media/track.ts`. */
function Waveform({ peaks }: { peaks: number[] }) {
  const pairs = peaks.length / 2;
  const y = (sample = 0) => 128 - sample;
  const highest = Array.from({ length: pairs }, (_, at) => `${at},${y(peaks[2 * at + 1])}`);
  const lowest = Array.from({ length: pairs }, (_, at) => `${at},${y(peaks[2 * at]) + 1}`);
  return (
    <svg class="waveform" viewBox={`0 0 ${pairs - 1} 256`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={[...highest, ...lowest.toReversed()].join(" ")} />
    </svg>
  );
}
