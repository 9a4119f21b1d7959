/** @jsxImportSource preact */
/** Viewers by asset kind. All of them work without scripts. */
import type { Asset } from "../../assets/schema.ts";
import { isolateBidi } from "../../lib/strings/display-text.ts";
import { MarkBar } from "../annotations/mark-bar.tsx";
import { PinLayer, PinTemplate, type ShownPins } from "../annotations/pins.tsx";
import { TextView } from "../annotations/text-view.tsx";
import { Timeline } from "../annotations/timeline.tsx";
import { Icon, type IconName } from "../icons/icons.tsx";

interface ViewerProps {
  asset: Asset;
  /** Omits the toolbar, for two viewers that share one. */
  bare?: boolean;
  pins?: ShownPins | undefined;
  /** Whether places can be marked. */
  canMark?: boolean;
  /** The text of a text file, if it is short enough to show its lines. */
  text?: string | null;
}

export const Viewer = ({ asset, pins = noPins, canMark = false, ...props }: ViewerProps) => (
  <div class="marked-viewer" data-viewer={asset.id} data-kind={asset.kind}>
    <FileViewer {...{ asset, pins, ...props }} />
    {canMark && asset.url && <MarkBar kind={asset.kind} hasLines={Boolean(props.text)} />}
  </div>
);

const noPins: ShownPins = { annotations: [], href: ({ n }) => `#mark-${n}` };

type FileViewerProps = ViewerProps & { pins: ShownPins };

function FileViewer({ asset, pins, text, bare = false }: FileViewerProps) {
  const label = `${isolateBidi(asset.title)}, version ${asset.version}`;
  if (!asset.url)
    return (
      <p class="viewer none">
        {asset.expires_at ? "This file has been deleted." : "This file is not available."}
      </p>
    );
  switch (asset.kind) {
    case "image":
      return <ImageViewer src={asset.url} {...{ label, asset, pins, bare }} />;
    case "video":
    case "audio":
      return <MediaPlayer src={asset.url} {...{ label, asset, pins }} />;
    case "html":
      return (
        <div class="viewer page">
          <div class="marked">
            <iframe sandbox="allow-scripts" src={asset.bundle_url ?? asset.url} title={label} />
          </div>
          <PinTemplate id={asset.id} pins={pins} />
          {!bare && <WidthBar />}
        </div>
      );
    case "pdf":
      return (
        <>
          <div class="viewer pdf" data-pdf={asset.url} data-label={label}>
            <OpenFile asset={asset} url={asset.url} />
          </div>
          <PinTemplate id={asset.id} pins={pins} />
        </>
      );
    default:
      if (text) return <TextView text={text} label={label} pins={pins} />;
      if (isText(asset))
        return (
          <div class={`viewer page${asset.size < shortBytes ? " short" : ""}`}>
            <iframe sandbox="" src={asset.url} title={label} />
          </div>
        );
      return (
        <div class="viewer none">
          <Icon name="layers" />
          <p>No preview for this file type ({asset.mime}).</p>
          <OpenFile asset={asset} url={asset.url} />
        </div>
      );
  }
}

/** Texts below this many bytes get a short frame. */
const shortBytes = 1_000;

export const isText = ({ kind, mime }: Asset): boolean =>
  kind === "html" || mime.startsWith("text/") || mime === "application/json";

const OpenFile = ({ asset, url }: { asset: Asset; url: string }) => (
  <a class="button" href={url}>
    {asset.kind === "pdf" ? "Open PDF" : "Download file"}
  </a>
);

interface MediaProps {
  src: string;
  label: string;
  asset: Asset;
  pins: ShownPins;
}

function ImageViewer({ src, label, asset, pins, bare }: MediaProps & { bare: boolean }) {
  return (
    <div class="viewer picture">
      <section
        class="stage"
        data-zoom
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys pan a zoomed image
        tabIndex={0}
        aria-label={`${label}. When zoomed in, use the arrow keys to pan.`}
      >
        <span class="marked">
          <img src={src} alt={label} width={asset.width ?? undefined} height={asset.height ?? undefined} />
          <span class="layers">
            <PinLayer id={asset.id} pins={pins} />
          </span>
        </span>
      </section>
      {!bare && <ZoomBar />}
    </div>
  );
}

/** Works only with scripts, so it is hidden until the script shows it. */
export const ZoomBar = () => (
  <p class="toolbar" data-zoom-bar hidden>
    <Tool icon="minus" name="Zoom out" act="out" />
    <output data-scale>Fit</output>
    <Tool icon="plus" name="Zoom in" act="in" />
    <Tool icon="fit" name="Fit" act="fit" />
    <button type="button" data-act="full">
      1:1
    </button>
  </p>
);

/** Shows an HTML page at the width of a phone, a tablet, or the window. */
const WidthBar = () => (
  <p class="toolbar" data-widths hidden>
    {["390", "768"].map((width) => (
      <button type="button" key={width} data-act={width} aria-pressed="false">
        {width} px
      </button>
    ))}
    <button type="button" data-act="all" aria-pressed="true">
      Full width
    </button>
  </p>
);

const Tool = ({ icon, name, act }: { icon: IconName; name: string; act: string }) => (
  <button type="button" data-act={act} aria-label={name} title={name}>
    <Icon name={icon} />
  </button>
);

function MediaPlayer({ src, label, asset, pins }: MediaProps) {
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
