/** @jsxImportSource preact */
/** An asset as its kind wants to be looked at. Without scripts each of them still shows. */
import type { Asset } from "../../assets/schema.ts";
import { Icon, type IconName } from "../icons.tsx";

export function Viewer({ asset }: { asset: Asset }) {
  const label = `${asset.title}, version ${asset.version}`;
  if (!asset.url) return <p class="viewer none">Its bytes are not kept {asset.expires_at ? "any more" : "here"}.</p>;
  switch (asset.kind) {
    case "image":
      return <Picture src={asset.url} label={label} asset={asset} />;
    case "video":
    case "audio":
      return <Timed src={asset.url} label={label} asset={asset} />;
    case "html":
      return <iframe class="viewer page" sandbox="allow-scripts" src={asset.bundle_url ?? asset.url} title={label} />;
    case "pdf":
      return (
        <div class="viewer pdf" data-pdf={asset.url} data-label={label}>
          <OpenAlone asset={asset} url={asset.url} />
        </div>
      );
    default:
      if (isText(asset))
        return <iframe class={`viewer page${asset.size < shortBytes ? " short" : ""}`} sandbox="" src={asset.url} title={label} />;
      return (
        <div class="viewer none">
          <p>There is no way to show {asset.mime} here.</p>
          <OpenAlone asset={asset} url={asset.url} />
        </div>
      );
  }
}

/** A text of a few lines needs no tall frame. */
const shortBytes = 1_000;

export const isText = ({ kind, mime }: Asset): boolean => kind === "html" || mime.startsWith("text/") || mime === "application/json";

const OpenAlone = ({ asset, url }: { asset: Asset; url: string }) => (
  <a class="button" href={url}>
    {asset.kind === "pdf" ? "Open the PDF" : "Save the file"}
  </a>
);

function Picture({ src, label, asset }: { src: string; label: string; asset: Asset }) {
  return (
    <div class="viewer picture">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move what is larger than its frame */}
      <section class="stage" data-zoom tabIndex={0} aria-label={`${label}: arrow keys move it when it is zoomed`}>
        <img src={src} alt={label} width={asset.width ?? undefined} height={asset.height ?? undefined} />
      </section>
      <ZoomBar />
    </div>
  );
}

/** Of scripts alone, so it is hidden until one shows it. */
export const ZoomBar = () => (
  <p class="toolbar" data-zoom-bar hidden>
    <Tool icon="minus" name="Zoom out" act="out" />
    <output data-scale>100 %</output>
    <Tool icon="plus" name="Zoom in" act="in" />
    <Tool icon="fit" name="Fit" act="fit" />
    <button type="button" data-act="full">
      1:1
    </button>
  </p>
);

const Tool = ({ icon, name, act }: { icon: IconName; name: string; act: string }) => (
  <button type="button" data-act={act} aria-label={name} title={name}>
    <Icon name={icon} />
  </button>
);

function Timed({ src, label, asset }: { src: string; label: string; asset: Asset }) {
  const what = asset.kind === "video" ? "frame" : "tenth of a second";
  return (
    <div class={`viewer ${asset.kind}`}>
      {asset.kind === "video" ? (
        // biome-ignore lint/a11y/useMediaCaption: what agents upload brings no captions
        <video src={src} controls preload="metadata" aria-label={label} poster={asset.thumb_url ?? undefined} />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: what agents upload brings no captions
        <audio src={src} controls preload="metadata" aria-label={label} />
      )}
      <p class="toolbar" data-steps hidden>
        <Tool icon="back" name={`Back a ${what}`} act="back" />
        <output data-time>0:00.000</output>
        <Tool icon="forth" name={`On a ${what}`} act="forth" />
      </p>
    </div>
  );
}
