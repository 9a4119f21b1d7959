/** @jsxImportSource preact */
/** Compares two assets: two versions of one, or what two runs of a task made. */

import type { Timeline } from "../../../files/probe/port.ts";
import type { AssetDetail } from "../../../library/assets/schema.ts";
import { type DeskAnnotations, pinsOfEarlier } from "../../annotations/desk-annotations.ts";
import { Status } from "../../assets/asset.tsx";
import { urlWith, type View } from "../../view.ts";
import { loadText } from "../asset-text.ts";
import { ZoomBar } from "../media/image.tsx";
import { Viewer } from "../viewer.tsx";
import { ClockBar } from "./clock-bar.tsx";
import { defaultMode, modes, modesOf } from "./modes.ts";
import { fullName, makerOf, shortNames } from "./names.ts";
import { Overlay } from "./overlay.tsx";
import { alone, ComparePicker, type Group, hiddenFields, withParameter } from "./pick.tsx";
import { TextDiff } from "./text-diff.tsx";

interface ComparisonProps {
  asset: AssetDetail;
  other: AssetDetail;
  view: View;
  marks: DeskAnnotations;
  timelines: ReadonlyMap<string, Timeline>;
  /** What the asset can be compared with. */
  choices: Group[];
}

export async function Comparison({ asset, other, view, marks, timelines, choices }: ComparisonProps) {
  const [older, newer] = asset.created_at > other.created_at ? [other, asset] : [asset, other];
  const modesOffered = modesOf(older, newer);
  const named = view.url.searchParams.get("mode");
  const mode = modesOffered.find((offered) => offered === named) ?? defaultMode(older, newer);
  return (
    <>
      <nav class="tabs" aria-label="Comparison mode">
        {modesOffered.map((offered) => (
          <a
            key={offered}
            href={urlWith(view.url, { mode: offered })}
            data-desk
            data-mode-key={modes[offered].key.toLowerCase()}
            aria-keyshortcuts={modes[offered].key}
            aria-current={offered === mode ? "true" : undefined}
          >
            {modes[offered].label}
          </a>
        ))}
        <a href={urlWith(view.url, { [withParameter]: alone, mode: null })} data-desk data-alone>
          Version {asset.version} only
        </a>
      </nav>
      <ComparePicker
        action={`/assets/${asset.id}`}
        hidden={hiddenFields(view)}
        groups={choices}
        left={older.id}
        right={newer.id}
      />
      {mode === "side" ? (
        <SideBySide {...{ asset, older, newer, marks, timelines }} />
      ) : mode === "text" ? (
        <TextDiff
          older={await loadText(view.ctx, older)}
          newer={await loadText(view.ctx, newer)}
          names={[fullName(older), fullName(newer)]}
        />
      ) : (
        <Overlay mode={mode} older={older} newer={newer} />
      )}
    </>
  );
}

interface SideBySideProps {
  /** The one of both that is reviewed. */
  asset: AssetDetail;
  older: AssetDetail;
  newer: AssetDetail;
  marks: DeskAnnotations;
  timelines: ReadonlyMap<string, Timeline>;
}

function SideBySide({ asset, older, newer, marks, timelines }: SideBySideProps) {
  const isOneChain = older.versions.some(({ id }) => id === newer.id);
  const areImages = modesOf(older, newer).includes("wipe");
  const arePlayed = [older, newer].every(({ kind, url }) => url && (kind === "video" || kind === "audio"));
  return (
    <div class="side" data-compared>
      {[older, newer].map((version) => (
        <figure key={version.id}>
          <figcaption>
            <strong>{isOneChain ? `Version ${version.version}` : fullName(version)}</strong>{" "}
            <Status status={version.status} /> {!isOneChain && <span class="soft">{makerOf(version)}</span>}
          </figcaption>
          <Viewer
            asset={version}
            bare={areImages}
            timeline={timelines.get(version.id)}
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
