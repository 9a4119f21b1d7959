/** @jsxImportSource preact */
/** An asset as its kind wants to be looked at. Without scripts each of them still shows. */
import type { Asset } from "../../assets/schema.ts";
import { isolateBidi } from "../../lib/display-text.ts";
import { Icon, type IconName } from "../icons.tsx";

/** @param bare without the tools that it shares with another one */
export function Viewer({ asset, bare = false }: { asset: Asset; bare?: boolean }) {
  const label = `${isolateBidi(asset.title)}, version ${asset.version}`;
  if (!asset.url)
    return <p class="viewer none">Its bytes are not kept {asset.expires_at ? "any more" : "here"}.</p>;
  switch (asset.kind) {
    case "image":
      return <Picture src={asset.url} label={label} asset={asset} bare={bare} />;
    case "video":
    case "audio":
      return <Timed src={asset.url} label={label} asset={asset} />;
    case "html":
      return (
        <div class="viewer page">
          <iframe sandbox="allow-scripts" src={asset.bundle_url ?? asset.url} title={label} />
          {!bare && <WidthBar />}
        </div>
      );
    case "pdf":
      return (
        <div class="viewer pdf" data-pdf={asset.url} data-label={label}>
          <OpenAlone asset={asset} url={asset.url} />
        </div>
      );
    default:
      if (isText(asset))
        return (
          <div class={`viewer page${asset.size < shortBytes ? " short" : ""}`}>
            <iframe sandbox="" src={asset.url} title={label} />
          </div>
        );
      return (
        <div class="viewer none">
          <Icon name="layers" />
          <p>There is no way to show {asset.mime} here.</p>
          <OpenAlone asset={asset} url={asset.url} />
        </div>
      );
  }
}

/** A text of a few lines needs no tall frame. */
const shortBytes = 1_000;

export const isText = ({ kind, mime }: Asset): boolean =>
  kind === "html" || mime.startsWith("text/") || mime === "application/json";

const OpenAlone = ({ asset, url }: { asset: Asset; url: string }) => (
  <a class="button" href={url}>
    {asset.kind === "pdf" ? "Open the PDF" : "Save the file"}
  </a>
);

interface Seen {
  src: string;
  label: string;
  asset: Asset;
}

function Picture({ src, label, asset, bare }: Seen & { bare: boolean }) {
  return (
    <div class="viewer picture">
      <section
        class="stage"
        data-zoom
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move what is larger than its frame
        tabIndex={0}
        aria-label={`${label}: arrow keys move it when it is zoomed`}
      >
        <img src={src} alt={label} width={asset.width ?? undefined} height={asset.height ?? undefined} />
      </section>
      {!bare && <ZoomBar />}
    </div>
  );
}

/** Of scripts alone, so it is hidden until one shows it. */
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

/** A page as a phone, a tablet or this window shows it. */
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

function Timed({ src, label, asset }: Seen) {
  const what = asset.kind === "video" ? "frame" : "tenth of a second";
  return (
    <div class={`viewer ${asset.kind}`}>
      {asset.kind === "video" ? (
        // biome-ignore lint/a11y/useMediaCaption: what agents upload brings no captions
        <video
          src={src}
          controls
          preload="metadata"
          aria-label={label}
          poster={asset.thumb_url ?? undefined}
        />
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
