/** @jsxImportSource preact */
/** The viewer of PDFs: without scripts, a link to the file. */
import { PinTemplate } from "../../annotations/pins.tsx";
import { type MediaProps, OpenFile, Tool } from "./media.tsx";

export const PdfViewer = ({ src, label, asset, pins }: MediaProps) => (
  <>
    <div class="viewer pdf" data-pdf={src} data-label={label}>
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
    <span>
      of <output data-page-count />
    </span>
    <Tool icon="forward" name="Next page" act="forward" />
    <button type="button" data-act="strip" aria-pressed="false">
      All pages
    </button>
  </p>
);
