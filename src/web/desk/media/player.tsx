/** @jsxImportSource preact */
/** The viewer of videos and audio files. */
import { PinTemplate } from "../../annotations/pins.tsx";
import { Timeline } from "../../annotations/timeline.tsx";
import { type MediaProps, Tool } from "./media.tsx";

export function MediaPlayer({ src, label, asset, pins }: MediaProps) {
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
          />
        </div>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: uploaded media has no caption tracks
        <audio src={src} controls preload="metadata" aria-label={label} />
      )}
      <Timeline asset={asset} pins={pins} />
      <PinTemplate id={asset.id} pins={pins} />
      <p class="toolbar" data-steps hidden>
        <Tool icon="back" name={`Back ${what}`} act="back" />
        <output data-time>0:00.000</output>
        <Tool icon="forward" name={`Forward ${what}`} act="forward" />
      </p>
    </div>
  );
}
