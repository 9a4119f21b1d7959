/** The viewer of videos and audio files. */

import type { Timeline } from "../../../files/probe/port.ts";
import { PinTemplate } from "../../annotations/pins.tsx";
import { type MediaProps, OpenFile, Tool } from "./media.tsx";
import { Track } from "./track.tsx";

interface PlayerProps extends MediaProps {
  /** What the server read of the file; absent if nothing. */
  timeline: Timeline | null;
}

export function MediaPlayer({ src, label, asset, pins, timeline }: PlayerProps) {
  const what = asset.kind === "video" ? "one frame" : "0.1 seconds";
  return (
    <div class={`viewer ${asset.kind}`}>
      {asset.kind === "video" ? (
        <div class="marked">
          {/* biome-ignore lint/a11y/useMediaCaption: uploaded media has no caption tracks */}
          <video
            src={src}
            controls
            preload="metadata"
            aria-label={label}
            poster={asset.thumb_url ?? undefined}
            data-fps={timeline?.frame_rate ?? undefined}
          />
        </div>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: uploaded media has no caption tracks
        <audio src={src} controls preload="metadata" aria-label={label} />
      )}
      <div class="unplayable" data-unplayable hidden>
        <p>Your browser cannot play this file ({asset.mime}). Download it to review it.</p>
        <OpenFile asset={asset} url={src} />
      </div>
      <Track src={src} label={label} asset={asset} pins={pins} peaks={timeline?.peaks ?? null} />
      <PinTemplate id={asset.id} pins={pins} />
      <p class="toolbar" data-steps hidden>
        <Tool icon="back" name={`Back ${what}`} act="back" />
        <output data-time>0:00.000</output>
        <Tool icon="forward" name={`Forward ${what}`} act="forward" />
      </p>
      {timeline?.is_index_last && (
        <p class="soft">
          This video starts late, because its index is at the end of the file. To move it to the front:{" "}
          <code>ffmpeg -i in.mp4 -c copy -movflags +faststart out.mp4</code>
        </p>
      )}
    </div>
  );
}
