/** @jsxImportSource preact */
/** The viewer of HTML pages and bundles: a sandboxed frame. */
import { PinTemplate } from "../../annotations/pins.tsx";
import type { MediaProps } from "./media.tsx";

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
