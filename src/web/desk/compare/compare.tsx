/** Compares two assets: two versions of one, or what two runs of a task made. */

import { isTable } from "../../../files/probe/table/schema.ts";
import type { Reading } from "../../../library/assets/files/reading.ts";
import type { Asset, AssetDetail, AssetKind } from "../../../library/assets/schema.ts";
import { type DeskAnnotations, pinsOfEarlier } from "../../annotations/desk-annotations.ts";
import { VersionStatus } from "../../assets/asset.tsx";
import { urlWith, type View } from "../../view.ts";
import { loadShownText, loadText } from "../asset-text.ts";
import { Tool, ZoomBar } from "../media/media.tsx";
import type { ShownText } from "../text/shown-text.ts";
import { lineParameter } from "../text/text-parts.ts";
import { Covered, Viewer } from "../viewer.tsx";
import { defaultMode, fullName, makerOf, modes, modesOf, shortNames } from "./modes.ts";

import { Overlay } from "./overlay.tsx";

import { alone, withParameter } from "./pick.tsx";
import { diffTables } from "./table-diff.ts";
import { diffLines, type LineDiff, TextDiff } from "./text-diff.tsx";

interface ComparisonProps {
  asset: AssetDetail;
  other: AssetDetail;
  view: View;
  marks: DeskAnnotations;
  readings: ReadonlyMap<string, Reading>;
  /** See `ViewerProps`. */
  watermark: string | null;
}

export async function Comparison({ asset, other, view, marks, readings, watermark }: ComparisonProps) {
  const [older, newer] = asset.created_at > other.created_at ? [other, asset] : [asset, other];
  const modesOffered = modesOf(older, newer);
  const named = view.url.searchParams.get("mode");
  const mode = modesOffered.find((offered) => offered === named) ?? defaultMode(older, newer);
  const diff = mode === "text" ? await loadDiff(view, older, newer, readings) : null;
  return (
    <>
      <nav class="tabs" aria-label="Comparison mode">
        {modesOffered.map((offered) => (
          <a
            key={offered}
            href={urlWith(view.url, { mode: offered, [lineParameter]: null })}
            data-desk
            data-mode-key={modes[offered].key.toLowerCase()}
            aria-keyshortcuts={modes[offered].key}
            aria-current={offered === mode ? "true" : undefined}
          >
            {modes[offered].label}
          </a>
        ))}
        <a
          href={urlWith(view.url, { [withParameter]: alone, mode: null, [lineParameter]: null })}
          data-desk
          data-alone
        >
          Version {asset.version} only
        </a>
      </nav>
      <DiffNote diff={diff} />
      {diff && "hunks" in diff ? (
        <TextDiff hunks={diff.hunks} names={[fullName(older), fullName(newer)]} url={view.url} />
      ) : mode === "side" || mode === "text" ? (
        <SideBySide
          asset={asset}
          sides={[await loadSide(view, older), await loadSide(view, newer)]}
          marks={marks}
          readings={readings}
          watermark={watermark}
        />
      ) : (
        <Covered label={watermark}>
          <Overlay mode={mode} older={older} newer={newer} />
        </Covered>
      )}
    </>
  );
}

/** What is compared if not all is, or why nothing is: then both files are shown beside each other. */
function DiffNote({ diff }: { diff: LineDiff | null }) {
  const text = diff && ("why" in diff ? diff.why : diff.note);
  return text && <p class="viewer-note">{text}</p>;
}

/** Of two Parquet files, that of the rows that were read. */
async function loadDiff({ ctx }: View, older: Asset, newer: Asset, readings: ReadonlyMap<string, Reading>) {
  return isTable(older)
    ? diffTables(readings.get(older.id)?.table, readings.get(newer.id)?.table)
    : diffLines(await loadText(ctx, older), await loadText(ctx, newer));
}

/** An asset among its versions. */
const ownVersion = (asset: AssetDetail) =>
  asset.versions.find(({ id }) => id === asset.id) ?? { ...asset, verdict: null };

interface SideBySideProps {
  /** The one of both that is reviewed. */
  asset: AssetDetail;
  /** The older one first. */
  sides: [Side, Side];
  marks: DeskAnnotations;
  readings: ReadonlyMap<string, Reading>;
  watermark: string | null;
}

interface Side {
  version: AssetDetail;
  text: ShownText | null;
}

/** Beside another one, a text has no switch of its own. */
async function loadSide(view: View, version: AssetDetail): Promise<Side> {
  const text = await loadShownText(view, version, []);
  return { version, text: text && { ...text, tabs: [] } };
}

function SideBySide({ asset, sides, marks, readings, watermark }: SideBySideProps) {
  const [older, newer] = [sides[0].version, sides[1].version];
  const isOneChain = older.versions.some(({ id }) => id === newer.id);
  const areImages = modesOf(older, newer).includes("wipe");
  const arePlayed = [older, newer].every(({ kind, url }) => url && (kind === "video" || kind === "audio"));
  return (
    <div class="side" data-compared>
      {sides.map(({ version, text }) => (
        <figure key={version.id}>
          <figcaption>
            <strong>{isOneChain ? `Version ${version.version}` : fullName(version)}</strong>{" "}
            <VersionStatus version={ownVersion(version)} />{" "}
            {!isOneChain && <span class="soft">{makerOf(version)}</span>}
          </figcaption>
          <Viewer
            asset={version}
            bare={areImages}
            watermark={watermark}
            text={text}
            reading={readings.get(version.id)}
            model
            {...(version === asset
              ? { pins: marks.pins, canMark: marks.forms.canAdd }
              : { pins: pinsOfEarlier(marks, version) })}
          />
        </figure>
      ))}
      {areImages && <ZoomBar />}
      {arePlayed && <ClockBar names={shortNames(older, newer)} kind={newer.kind} />}
    </div>
  );
}

/** Controls two videos or audio files together. They work only with scripts. */
function ClockBar({ names, kind }: { names: [string, string]; kind: AssetKind }) {
  const one = kind === "video" ? "one frame" : "0.1 seconds";
  return (
    <p class="toolbar clock" data-clock hidden>
      <button type="button" data-act="play" aria-keyshortcuts="Space">
        Play both
      </button>
      <Tool icon="back" name={`Both back ${one}`} act="back" />
      <Tool icon="forward" name={`Both forward ${one}`} act="forward" />
      <input type="range" min="0" max="0" step="0.001" value="0" aria-label="Time of both" data-seek />
      <output data-clock-time>0:00.000</output>
      <span class="tools">
        <span class="soft">Sound</span>
        {names.map((name, index) => (
          <button type="button" key={name} data-act={`sound-${index}`} aria-pressed={index === 1}>
            <span class="visually-hidden">Sound of </span>
            {name}
          </button>
        ))}
      </span>
    </p>
  );
}
