/** @jsxImportSource preact */
/** Compares two versions: side by side, overlaid in three ways, or as a text diff. */
import type { AssetDetail } from "../../../assets/schema.ts";
import { isolateBidi } from "../../../lib/strings/display-text.ts";
import type { Timeline } from "../../../probe/port.ts";
import { type DeskAnnotations, pinsOfEarlier } from "../../annotations/desk-annotations.ts";
import { Status } from "../../assets/asset.tsx";
import { urlWith, type View } from "../../view.ts";
import { loadText } from "../asset-text.ts";
import { ZoomBar } from "../media/image.tsx";
import { isText, Viewer } from "../viewer.tsx";
import { TextDiff } from "./text-diff.tsx";

const modes = {
  side: "Side by side",
  wipe: "Wipe",
  flicker: "Flicker",
  difference: "Difference",
  text: "Text diff",
} as const;
type Mode = keyof typeof modes;

/** The value of the parameter `with` that shows one version only. */
export const alone = "none";

export async function Comparison({
  asset,
  other,
  view,
  marks,
  timelines,
}: {
  asset: AssetDetail;
  other: AssetDetail;
  view: View;
  marks: DeskAnnotations;
  timelines: ReadonlyMap<string, Timeline>;
}) {
  const [older, newer] = asset.version > other.version ? [other, asset] : [asset, other];
  const modesOffered = modesOf(older, newer);
  const mode =
    modesOffered.find((offered) => offered === view.url.searchParams.get("mode")) ??
    (modesOffered[0] as Mode);
  const zoomsBoth = modesOffered.includes("wipe");
  return (
    <>
      <nav class="tabs" aria-label="Comparison mode">
        {modesOffered.map((offered) => (
          <a
            key={offered}
            href={urlWith(view.url, { mode: offered })}
            data-desk
            aria-current={offered === mode ? "true" : undefined}
          >
            {modes[offered]}
          </a>
        ))}
        <a href={urlWith(view.url, { with: alone, mode: null })} data-desk data-alone>
          Version {asset.version} only
        </a>
      </nav>
      {mode === "text" ? (
        <TextDiff
          older={await loadText(view.ctx, older)}
          newer={await loadText(view.ctx, newer)}
          names={[nameOf(older), nameOf(newer)]}
        />
      ) : mode === "side" ? (
        <div class="side">
          {[older, newer].map((version) => (
            <figure key={version.id}>
              <figcaption>
                <strong>
                  {older.title === newer.title ? `Version ${version.version}` : nameOf(version)}
                </strong>{" "}
                <Status status={version.status} />
              </figcaption>
              <Viewer
                asset={version}
                bare={zoomsBoth}
                timeline={timelines.get(version.id)}
                {...(version === asset
                  ? { pins: marks.pins, canMark: marks.forms.canAdd }
                  : { pins: pinsOfEarlier(marks, version) })}
              />
            </figure>
          ))}
          {zoomsBoth && <ZoomBar />}
        </div>
      ) : (
        <Overlay mode={mode} older={older} newer={newer} />
      )}
    </>
  );
}

function modesOf(older: AssetDetail, newer: AssetDetail): Mode[] {
  if (!older.url || !newer.url) return ["side"];
  if (older.kind === "image" && newer.kind === "image") return ["side", "wipe", "flicker", "difference"];
  return isText(older) && isText(newer) ? ["side", "text"] : ["side"];
}

const nameOf = ({ title, version }: AssetDetail): string => `${isolateBidi(title)}, version ${version}`;

function Overlay({ mode, older, newer }: { mode: Mode; older: AssetDetail; newer: AssetDetail }) {
  const sizesDiffer = older.width !== newer.width || older.height !== newer.height;
  return (
    <div class="viewer picture">
      <section
        class={`stage over ${mode}`}
        id="over"
        data-zoom
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys pan a zoomed image
        tabIndex={0}
        aria-label="Both versions. When zoomed in, use the arrow keys to pan."
      >
        <img
          src={older.url ?? ""}
          alt={nameOf(older)}
          width={older.width ?? undefined}
          height={older.height ?? undefined}
        />
        <span class="edge">
          <img
            src={newer.url ?? ""}
            alt={nameOf(newer)}
            width={newer.width ?? undefined}
            height={newer.height ?? undefined}
            class="upper"
          />
        </span>
      </section>
      {sizesDiffer && (
        <p class="soft">
          {`The sizes differ: version ${older.version} is ${older.width} × ${older.height}, `}
          {`version ${newer.version} is ${newer.width} × ${newer.height}.`}
        </p>
      )}
      {mode === "wipe" && (
        <p class="toolbar" data-wipe hidden>
          <span class="soft">v{older.version}</span>
          <input
            type="range"
            min="0"
            max="100"
            value="50"
            aria-label={`Share of version ${older.version} shown`}
            id="wipe"
          />
          <span class="soft">v{newer.version}</span>
        </p>
      )}
      {mode === "difference" && (
        <p class="toolbar" data-amplify hidden>
          <label>
            Amplify <input type="range" min="1" max="12" value="1" id="amplify" />
          </label>
        </p>
      )}
      {mode === "flicker" && (
        <p class="toolbar" data-flicker hidden>
          <button type="button" data-act="pause">
            Pause
          </button>
          <button type="button" data-act="other">
            Switch version
          </button>
          <output data-shown data-names={`v${older.version} v${newer.version}`}>
            v{newer.version}
          </output>
        </p>
      )}
      <ZoomBar />
    </div>
  );
}
