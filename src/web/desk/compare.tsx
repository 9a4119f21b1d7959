/** @jsxImportSource preact */
/** Two versions: side by side, over each other in three ways, or line by line. */
import type { AssetDetail } from "../../assets/schema.ts";
import { isolateBidi } from "../../lib/display-text.ts";
import { Status } from "../asset.tsx";
import { addressWith, type View } from "../view.ts";
import { Difference } from "./difference.tsx";
import { textOf } from "./text.ts";
import { isText, Viewer, ZoomBar } from "./viewer.tsx";

const modes = {
  side: "Side by side",
  wipe: "Wipe",
  flicker: "Flicker",
  difference: "Difference",
  text: "Text",
} as const;
type Mode = keyof typeof modes;

export async function Compared({
  asset,
  other,
  view,
}: {
  asset: AssetDetail;
  other: AssetDetail;
  view: View;
}) {
  const [older, newer] = asset.version > other.version ? [other, asset] : [asset, other];
  const offered = modesOf(older, newer);
  const mode = offered.find((one) => one === view.url.searchParams.get("mode")) ?? (offered[0] as Mode);
  const zoomsBoth = offered.includes("wipe");
  return (
    <>
      {offered.length > 1 && (
        <nav class="tabs" aria-label="Compare by">
          {offered.map((one) => (
            <a
              key={one}
              href={addressWith(view.url, { mode: one })}
              data-desk
              aria-current={one === mode ? "true" : undefined}
            >
              {modes[one]}
            </a>
          ))}
        </nav>
      )}
      {mode === "text" ? (
        <Difference
          older={await textOf(view.ctx, older)}
          newer={await textOf(view.ctx, newer)}
          names={[nameOf(older), nameOf(newer)]}
        />
      ) : mode === "side" ? (
        <div class="side">
          {[older, newer].map((one) => (
            <figure key={one.id}>
              <figcaption>
                <strong>{older.title === newer.title ? `Version ${one.version}` : nameOf(one)}</strong>{" "}
                <Status status={one.status} />
              </figcaption>
              <Viewer asset={one} bare={zoomsBoth} />
            </figure>
          ))}
          {zoomsBoth && <ZoomBar />}
        </div>
      ) : (
        <Over mode={mode} older={older} newer={newer} />
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

function Over({ mode, older, newer }: { mode: Mode; older: AssetDetail; newer: AssetDetail }) {
  const differ = older.width !== newer.width || older.height !== newer.height;
  return (
    <div class="viewer picture">
      <section
        class={`stage over ${mode}`}
        id="over"
        data-zoom
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move what is larger than its frame
        tabIndex={0}
        aria-label="Both versions: arrow keys move them when zoomed"
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
      {differ && (
        <p class="soft">
          Their sizes differ: {older.width} × {older.height}, then {newer.width} × {newer.height}.
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
            aria-label={`How much of version ${older.version} is seen`}
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
            Other version
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
