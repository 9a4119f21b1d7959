/** The viewers of images, HTML pages and PDFs, and what all viewers share. */

import type { Asset } from "../../../library/assets/schema.ts";
import { PinLayer, PinTemplate, type ShownPins } from "../../annotations/pins.tsx";
import { Icon, type IconName } from "../../icons/icons.tsx";

export interface MediaProps {
  src: string;
  label: string;
  asset: Asset;
  pins: ShownPins;
}

export const Tool = ({ icon, name, act }: { icon: IconName; name: string; act: string }) => (
  <button type="button" data-act={act} aria-label={name} title={name}>
    <Icon name={icon} />
  </button>
);

export const OpenFile = ({ asset, url }: { asset: Asset; url: string }) => (
  <a class="button" href={url}>
    {asset.kind === "pdf" ? "Open PDF" : "Download file"}
  </a>
);

/** The viewer of HTML pages and bundles: a sandboxed frame. */
export const HtmlViewer = ({ src, label, asset, pins, bare }: MediaProps & { bare: boolean }) => (
  <div class="viewer page">
    <div class="frames">
      <div class="marked">
        <iframe sandbox="allow-scripts" src={src} title={label} />
      </div>
    </div>
    <PinTemplate id={asset.id} pins={pins} />
    {!bare && <WidthBar />}
  </div>
);

/** Of a phone, a tablet, and a laptop, in CSS pixels. */
const widths = [390, 768, 1280];

/** Works only with scripts: a wider page than the viewer is scaled down. */
const WidthBar = () => (
  <p class="toolbar" data-widths={widths.join(" ")} hidden>
    {widths.map((width) => (
      <button type="button" key={width} data-act={width} aria-pressed="false">
        {width} px
      </button>
    ))}
    <button type="button" data-act="each" aria-pressed="false">
      All three
    </button>
    <button type="button" data-act="full" aria-pressed="true">
      Full width
    </button>
  </p>
);

/** The viewer of PDFs: without scripts, the first page small, and a link to the file. */
export const PdfViewer = ({ src, label, asset, pins }: MediaProps) => (
  <>
    <div class="viewer pdf" data-pdf={src} data-label={label}>
      {asset.thumb_url && <img src={asset.thumb_url} alt={`${label}: the first page, small`} data-poster />}
      <OpenFile asset={asset} url={src} />
      <PageBar />
    </div>
    <PinTemplate id={asset.id} pins={pins} />
  </>
);

/** Works only with scripts, so it is hidden until the script shows it. */
const PageBar = () => (
  <p class="toolbar" data-page-bar hidden>
    <Tool icon="back" name="Previous page" act="back" />
    <label class="page-number">
      Page <input type="number" min="1" value="1" inputMode="numeric" />
    </label>
    <span class="soft">
      of <output data-page-count />
    </span>
    <Tool icon="forward" name="Next page" act="forward" />
    <button type="button" data-act="strip" aria-pressed="false">
      All pages
    </button>
  </p>
);

/** Every browser shows these; of others, a browser that cannot show them shows the thumbnail. */
const shownEverywhere: ReadonlySet<string> = new Set(
  ["png", "jpeg", "gif", "webp", "avif", "svg+xml", "bmp", "x-icon", "apng"].map((name) => `image/${name}`),
);

const StageImage = ({ src, label, asset }: Pick<MediaProps, "src" | "label" | "asset">) => {
  const size = { width: asset.width ?? undefined, height: asset.height ?? undefined };
  const shape = asset.mime === "image/svg+xml" ? "vector" : undefined;
  if (shownEverywhere.has(asset.mime)) return <img src={src} alt={label} class={shape} {...size} />;
  return (
    <picture>
      <source type={asset.mime} srcset={src} />
      <img src={asset.thumb_url ?? undefined} alt={`${label}: your browser cannot show it.`} {...size} />
    </picture>
  );
};

/** The viewer of images: zooms and pans. */
export function ImageViewer({ src, label, asset, pins, bare }: MediaProps & { bare: boolean }) {
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
          <StageImage src={src} label={label} asset={asset} />
          <span class="layers">
            <PinLayer id={asset.id} pins={pins} />
          </span>
        </span>
      </section>
      {!shownEverywhere.has(asset.mime) && (
        <p class="soft viewer-note">
          Many browsers cannot show {asset.mime}
          {asset.thumb_url && ", and show its thumbnail"}. <a href={src}>Download file</a>
        </p>
      )}
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
