/** Two images over each other: wipe, onion skin, flicker, and their difference. */

import type { ComponentChildren } from "preact";
import type { AssetDetail } from "../../../library/assets/schema.ts";
import { Tool, ZoomBar } from "../media/media.tsx";

import { fullName, type OverlayMode, shortNames } from "./modes.ts";

interface OverlayProps {
  mode: OverlayMode;
  older: AssetDetail;
  newer: AssetDetail;
}

export function Overlay({ mode, older, newer }: OverlayProps) {
  const names = shortNames(older, newer);
  return (
    <div class="viewer picture">
      <section
        class={`stage over ${mode}`}
        id="over"
        data-zoom
        data-compared
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys pan a zoomed image
        tabIndex={0}
        aria-label="Both versions. When zoomed in, use the arrow keys to pan."
      >
        <span class="pair">
          <Image asset={older} />
          <span class="edge">
            <Image asset={newer} isUpper />
          </span>
        </span>
        {mode === "difference" && (
          <span class="marked changes-box" aria-hidden="true">
            <span class="layers">
              <svg class="overlay changes" data-changes aria-hidden="true" />
            </span>
          </span>
        )}
      </section>
      <div class="bars">
        <Sizes older={older} newer={newer} names={names} />
        {bars[mode](names)}
        <ZoomBar />
      </div>
    </div>
  );
}

const Image = ({ asset, isUpper }: { asset: AssetDetail; isUpper?: boolean }) => (
  <img
    src={asset.url ?? ""}
    alt={fullName(asset)}
    width={asset.width ?? undefined}
    height={asset.height ?? undefined}
    class={isUpper ? "upper" : undefined}
  />
);

function Sizes({ older, newer, names }: Omit<OverlayProps, "mode"> & { names: [string, string] }) {
  if (older.width === newer.width && older.height === newer.height) return null;
  const [first, second] = [older, newer].map(({ width, height }) => `${width} × ${height}`);
  return <p class="soft">{`The sizes differ: ${names[0]} is ${first}, ${names[1]} is ${second}.`}</p>;
}

/** What each mode is controlled with. They work only with scripts, so they are hidden until one shows them. */
const bars: Record<OverlayMode, (names: [string, string]) => ComponentChildren> = {
  wipe: (names) => <Slider names={names} label={`Share of ${names[0]} shown`} />,
  onion: (names) => <Slider names={names} label={`Opacity of ${names[1]}`} />,
  flicker: (names) => (
    <p class="toolbar" data-flicker data-older={names[0]} data-newer={names[1]} hidden>
      <button type="button" data-act="pause" aria-keyshortcuts="Space">
        Pause
      </button>
      <button type="button" data-act="other" aria-keyshortcuts="F">
        Switch version
      </button>
      <output data-shown>{names[1]}</output>
    </p>
  ),
  difference: () => (
    <>
      <p class="toolbar" data-changes-bar hidden>
        <span class="tools" data-walk hidden>
          <Tool icon="back" name="Previous change (K)" act="previous" />
          <Tool icon="forward" name="Next change (J)" act="next" />
        </span>
        <output data-changes-text>Looking for changes…</output>
      </p>
      <p class="toolbar" data-amplify hidden>
        <label>
          Amplify <input type="range" min="1" max="12" value="1" id="amplify" />
        </label>
      </p>
    </>
  ),
};

const Slider = ({ names: [older, newer], label }: { names: [string, string]; label: string }) => (
  <p class="toolbar" data-slide hidden>
    <span class="soft">{older}</span>
    <input type="range" min="0" max="100" value="50" aria-label={label} id="slide" />
    <span class="soft">{newer}</span>
  </p>
);
