/** @jsxImportSource preact */
/** The viewer of PDFs: without scripts, a link to the file. */
import { PinTemplate } from "../../annotations/pins.tsx";
import { type MediaProps, OpenFile } from "./media.tsx";

export const PdfViewer = ({ src, label, asset, pins }: MediaProps) => (
  <>
    <div class="viewer pdf" data-pdf={src} data-label={label}>
      <OpenFile asset={asset} url={src} />
    </div>
    <PinTemplate id={asset.id} pins={pins} />
  </>
);
