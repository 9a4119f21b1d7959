/** @jsxImportSource preact */
/** Viewers by asset kind. All of them work without scripts. */

import type { FunctionComponent } from "preact";
import type { Config } from "../../core/config.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { isModel } from "../../files/probe/model/model-types.ts";
import type { Timeline } from "../../files/probe/port.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { MarkBar } from "../annotations/mark-bar.tsx";
import type { ShownPins } from "../annotations/pins.tsx";
import { TextView } from "../annotations/text/text-view.tsx";
import { kindRows } from "../assets/kinds.ts";
import { Icon } from "../icons/icons.tsx";
import { modelPath } from "../models/model-page.tsx";
import { HtmlViewer, ImageViewer, type MediaProps, OpenFile, PdfViewer } from "./media/media.tsx";
import { MediaPlayer } from "./media/player.tsx";

interface ViewerProps {
  asset: Asset;
  /** Omits the toolbar, for two viewers that share one. */
  bare?: boolean;
  pins?: ShownPins | undefined;
  /** Whether places can be marked. */
  canMark?: boolean;
  /** The text of a text file or the source of an HTML page, if it is short enough to show its lines. */
  text?: string | null;
  /** Whether there is a file, but neither a way to show it nor a permission to download it. */
  isWithheld?: boolean;
  /** Repeated over the file, but not over the buttons below it: a reminder of whose link it is. */
  watermark?: string | null;
  /** What the server read of a video or audio file. */
  timeline?: Timeline | undefined;
  /** Whether 3D models are shown: their page needs a session. */
  model?: boolean;
}

export function Viewer({ asset, pins = noPins, canMark = false, watermark = null, ...props }: ViewerProps) {
  const kind = props.text ? "file" : asset.kind;
  const file = <FileViewer {...props} asset={asset} pins={pins} />;
  const hasPlaces = kindRows[kind].marks.length > 0 || Boolean(props.text);
  return (
    <div class="marked-viewer" data-viewer={asset.id} data-kind={kind}>
      {watermark === null ? (
        file
      ) : (
        <div class="covered">
          {file}
          <Watermark label={watermark} />
        </div>
      )}
      {canMark && asset.url && hasPlaces && <MarkBar kind={kind} hasLines={Boolean(props.text)} />}
    </div>
  );
}

const Watermark = ({ label }: { label: string }) => (
  <div class="watermark" aria-hidden="true">
    {Array.from({ length: 12 }, (_, index) => (
      <span key={index}>{isolateBidi(label)}</span>
    ))}
  </div>
);

/** The origins that the viewers' scripts read these assets from. */
export const fetchOrigins = (
  { contentUrl }: Pick<Config, "contentUrl">,
  assets: (Asset | null)[],
): string[] => (assets.some((asset) => asset?.url && viewers[asset.kind].isFetched) ? [contentUrl] : []);

const noPins: ShownPins = { annotations: [], href: ({ n }) => `#mark-${n}` };

type FileViewerProps = Omit<ViewerProps, "watermark"> & { pins: ShownPins };

function FileViewer(props: FileViewerProps) {
  const { asset, pins, text, timeline, model = false, bare = false, isWithheld = false } = props;
  const label = `${isolateBidi(asset.title)}, version ${asset.version}`;
  if (isWithheld)
    return (
      <div class="viewer none">
        <Icon name="layers" />
        <p>Browsers can't show this type of file ({asset.mime}).</p>
      </div>
    );
  if (!asset.url)
    return (
      <p class="viewer none">
        {asset.expires_at ? "This file has been deleted." : "This file is not available."}
      </p>
    );
  if (text) return <TextView isHtml={asset.kind === "html"} text={text} label={label} pins={pins} />;
  const { Shown } = viewers[asset.kind];
  const src = asset.bundle_url ?? asset.url;
  return (
    <Shown src={src} label={label} asset={asset} pins={pins} timeline={timeline} model={model} bare={bare} />
  );
}

interface ShownProps extends MediaProps {
  bare: boolean;
  timeline: Timeline | undefined;
  model: boolean;
}

interface ViewerRow {
  Shown: FunctionComponent<ShownProps>;
  /** Whether its scripts fetch the file. */
  isFetched?: true;
}

/** A file of another kind: a 3D model, a text, or a download. */
function OtherFile({ src, label, asset, model }: ShownProps) {
  if (isModel(asset) && model) return <ModelViewer label={label} asset={asset} />;
  if (isText(asset))
    return (
      <div class={`viewer page${asset.size < shortBytes ? " short" : ""}`}>
        <iframe sandbox="" src={src} title={label} />
      </div>
    );
  return (
    <div class="viewer none">
      <Icon name="layers" />
      <p>No preview for this file type ({asset.mime}).</p>
      <OpenFile asset={asset} url={src} />
    </div>
  );
}

const viewers: Record<Asset["kind"], ViewerRow> = {
  image: { Shown: ImageViewer },
  video: { Shown: MediaPlayer },
  audio: { Shown: MediaPlayer, isFetched: true },
  pdf: { Shown: PdfViewer, isFetched: true },
  html: { Shown: HtmlViewer },
  file: { Shown: OtherFile },
};

/** Texts below this many bytes get a short frame. */
const shortBytes = 1_000;

export const isText = ({ kind, mime }: Asset): boolean =>
  kind === "html" || mime.startsWith("text/") || mime === "application/json";

/** The viewer of 3D models: a frame with the page that shows it, which has its own policy. */
const ModelViewer = ({ label, asset }: Pick<MediaProps, "label" | "asset">) => (
  <div class="viewer page model-frame">
    <iframe src={modelPath(asset.id)} title={label} />
    <p class="toolbar">
      <a href={modelPath(asset.id)}>Open on its own page</a>
    </p>
  </div>
);
