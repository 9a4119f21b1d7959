/** @jsxImportSource preact */
/** The viewer of HTML pages and bundles: a sandboxed frame. */
import { PinTemplate } from "../../annotations/pins.tsx";
import type { MediaProps } from "./media.tsx";

export const HtmlViewer = ({ src, label, asset, pins, bare }: MediaProps & { bare: boolean }) => (
  <div class="viewer page">
    <div class="marked">
      <iframe sandbox="allow-scripts" src={src} title={label} />
    </div>
    <PinTemplate id={asset.id} pins={pins} />
    {!bare && <WidthBar />}
  </div>
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
