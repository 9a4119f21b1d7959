/** @jsxImportSource preact */
/** Below a player: the waveform or the pictures of the file, and its annotations, from its start to its end. */
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

/** A vertical line for each pair; `islands/media/waveform.ts` draws the same. */
const Waveform = ({ peaks }: { peaks: number[] }) => (
  <svg class="waveform" viewBox={`0 0 ${peaks.length / 2} 256`} preserveAspectRatio="none" aria-hidden="true">
    <path
      d={Array.from(
        { length: peaks.length / 2 },
        (_, at) => `M${at} ${128 - (peaks[2 * at + 1] ?? 0)}V${129 - (peaks[2 * at] ?? 0)}`,
      ).join("")}
    />
  </svg>
);
