/** Viewers by asset kind. All of them work without scripts. */

import type { FunctionComponent, VNode } from "preact";
import type { Config } from "../../core/config.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { isFont } from "../../files/probe/font/schema.ts";
import { isModel } from "../../files/probe/model/model-types.ts";
import { isTable } from "../../files/probe/table/schema.ts";
import type { FileState } from "../../library/assets/files/missing-file.ts";
import type { Reading } from "../../library/assets/files/reading.ts";
import { isShownInline } from "../../library/assets/files/response-headers.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { MarkBar } from "../annotations/mark-bar.tsx";
import type { ShownPins } from "../annotations/pins.tsx";
import { kindRows } from "../assets/kinds.ts";
import { Icon } from "../icons/icons.tsx";
import { modelPath } from "../models/model-page.tsx";
import { FontViewer } from "./media/font.tsx";
import { HtmlViewer, ImageViewer, type MediaProps, OpenFile, PdfViewer } from "./media/media.tsx";
import { MediaPlayer } from "./media/player.tsx";
import { ParquetViewer } from "./text/parquet-viewer.tsx";
import type { ShownText } from "./text/shown-text.ts";
import { isXml } from "./text/text-format.ts";
import { TextViewer } from "./text/text-viewer.tsx";

interface ViewerProps {
  asset: Asset & FileState;
  /** Omits the toolbar, for two viewers that share one. */
  bare?: boolean;
  pins?: ShownPins | undefined;
  /** Whether places can be marked. */
  canMark?: boolean;
  /** Of a text file, or of an HTML page whose source is shown. */
  text?: ShownText | null;
  /** Whether there is a file, but neither a way to show it nor a permission to download it. */
  isWithheld?: boolean;
  /** Repeated over the file, but not over the buttons below it: a reminder of whose link it is. */
  watermark?: string | null;
  /** What the server read of the file. */
  reading?: Reading | undefined;
  /** Whether 3D models are shown: their page needs a session. */
  model?: boolean;
}

export function Viewer({ asset, pins = noPins, canMark = false, watermark = null, ...props }: ViewerProps) {
  const kind = props.text ? "file" : asset.kind;
  const hasLines = Boolean(props.text && !props.text.rendering);
  const file = <FileViewer {...props} asset={asset} pins={pins} />;
  const hasPlaces = kindRows[kind].marks.length > 0 || hasLines;
  return (
    <div class="marked-viewer" data-viewer={asset.id} data-kind={kind}>
      <Covered label={watermark}>{file}</Covered>
      {canMark && asset.url && hasPlaces && <MarkBar kind={kind} hasLines={hasLines} />}
    </div>
  );
}

/** @param label null: nothing is over it */
export function Covered({ label, children }: { label: string | null; children: VNode }) {
  if (label === null) return children;
  return (
    <div class="covered">
      {children}
      <Watermark label={label} />
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
): string[] =>
  assets.some((asset) => asset?.url && (viewers[asset.kind].isFetched || isFont(asset))) ? [contentUrl] : [];

const noPins: ShownPins = { annotations: [], href: ({ n }) => `#mark-${n}` };

type FileViewerProps = Omit<ViewerProps, "watermark"> & { pins: ShownPins };

function FileViewer(props: FileViewerProps) {
  const { asset, pins, text, reading = {}, model = false, bare = false, isWithheld = false } = props;
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
      <div class="viewer none">
        <Icon name="cross" />
        <p>{missingText(asset)}</p>
      </div>
    );
  if (text) return <TextViewer shown={text} label={label} pins={pins} />;
  const { Shown } = viewers[asset.kind];
  const src = asset.bundle_url ?? asset.url;
  return (
    <Shown src={src} label={label} asset={asset} pins={pins} reading={reading} model={model} bare={bare} />
  );
}

/** Their files are deleted after a while. */
const retained: ReadonlySet<Asset["status"]> = new Set(["rejected", "superseded"]);

/** What happened to a file, and what to do. */
const missingText = ({ missing, status }: Asset & FileState): string =>
  missing === "deleted"
    ? retained.has(status)
      ? `This file has been deleted: files of ${status} versions are kept for a limited time.`
      : "This file has been deleted."
    : missing === "lost"
      ? "This file is missing from the store. Upload it again as a new version, or ask an admin to restore " +
        "it from a backup."
      : "This file is not available.";

interface ShownProps extends MediaProps {
  bare: boolean;
  reading: Reading;
  model: boolean;
}

interface ViewerRow {
  Shown: FunctionComponent<ShownProps>;
  /** Whether its scripts fetch the file. */
  isFetched?: true;
}

const Player = ({ reading: { timeline = null }, ...props }: ShownProps) => (
  <MediaPlayer {...props} timeline={timeline} />
);

/** A file of another kind: a 3D model, a table, a font, a text that is only to be read, or a download. */
function OtherFile({ src, label, asset, model, reading: { table, font } }: ShownProps) {
  if (isModel(asset) && model) return <ModelViewer label={label} asset={asset} />;
  if (table) return <ParquetViewer label={label} table={table} src={src} />;
  if (font) return <FontViewer label={label} font={font} asset={asset} src={src} />;
  if (isText(asset) && isShownInline(asset.mime))
    return (
      <div class="viewer page">
        <iframe sandbox="" src={src} title={label} />
      </div>
    );
  return (
    <div class="viewer none">
      <Icon name="layers" />
      <p>{whyNotShown(asset)} Download it to review it.</p>
      <OpenFile asset={asset} url={src} />
    </div>
  );
}

function whyNotShown(asset: Asset): string {
  if (isTable(asset))
    return "This Parquet file cannot be shown as a table: it is damaged, or compressed with LZ4 or LZO.";
  if (isFont(asset)) return "This font cannot be shown: it is damaged, or larger than 24 MiB.";
  if (isText(asset)) return "This file cannot be shown as a text.";
  if (isModel(asset)) return "3D models are shown to people who are signed in.";
  if (asset.mime === "application/zip")
    return "A zip file is shown if it has an index.html or numbered images. This one has neither.";
  return `Browsers can't show this type of file (${asset.mime}).`;
}

const viewers: Record<Asset["kind"], ViewerRow> = {
  image: { Shown: ImageViewer },
  video: { Shown: Player },
  audio: { Shown: Player, isFetched: true },
  pdf: { Shown: PdfViewer, isFetched: true },
  html: { Shown: HtmlViewer },
  file: { Shown: OtherFile },
};

export const isText = ({ kind, mime }: Pick<Asset, "kind" | "mime">): boolean =>
  kind === "html" || mime.startsWith("text/") || mime === "application/json" || isXml(mime);

/** The viewer of 3D models: a frame with the page that shows it, which has its own policy. */
const ModelViewer = ({ label, asset }: Pick<MediaProps, "label" | "asset">) => (
  <div class="viewer page model-frame">
    <iframe src={modelPath(asset.id)} title={label} />
    <p class="toolbar">
      <a href={modelPath(asset.id)}>Open on its own page</a>
    </p>
  </div>
);
