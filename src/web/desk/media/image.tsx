/** @jsxImportSource preact */
/** The viewer of images: zooms and pans. */
import { PinLayer } from "../../annotations/pins.tsx";
import { type MediaProps, Tool } from "./media.tsx";

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
