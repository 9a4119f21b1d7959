/** A pending asset beside the approved version, large, and what changed larger: a fragment for the script. */
import { renderToString } from "preact-render-to-string";
import type { ChangeBox } from "../../files/probe/likeness/schema.ts";
import type { Box } from "../../files/probe/marks/box.ts";
import type { Asset } from "../../library/assets/schema.ts";
import type { Comparison } from "../../library/comparisons/schema.ts";
import { getComparison } from "../../library/operations/comparisons.ts";
import { Actor } from "../actor.tsx";
import { drawnPath } from "../assets/asset.tsx";
import { callOperation, type View } from "../view.ts";
import { areaOf, Outlines, placeOf } from "./outlines.tsx";
import { changeText } from "./words.ts";

/** Places that are shown larger. */
const placesMax = 3;
/** Places that take more of the image are large enough already. */
const largeShare = 0.35;

export async function previewFragment(view: View): Promise<string> {
  const found = await callOperation<Comparison>(view, getComparison, { id: view.params.id });
  return renderToString(<Look {...found} />);
}

function Look({ item, base }: Comparison) {
  const { asset, boxes } = item;
  const area = areaOf(asset);
  const versions = base ? [base, asset] : [asset];
  const text = changeText(item);
  return (
    <>
      <p class="preview-title">
        <bdi>{asset.title}</bdi>
        <span class="soft">{text && `${text} of the image`}</span>
      </p>
      <p class="preview-tools">
        <Tool act="previous" label="Previous" isForTouch />
        <Tool act="next" label="Next" isForTouch />
        <Tool act="pick" label="Select" shortcut="X" />
        {base && <Tool act="blink" label="Blink" shortcut="B" />}
        <a class="button" href={`/assets/${asset.id}`}>
          Open <kbd>Enter</kbd>
        </a>
        <Tool act="close" label="Close" isForTouch />
      </p>
      <div class="preview-pair" data-blink={base ? true : undefined}>
        {versions.map((version) => (
          <figure key={version.id}>
            <Picture version={version} boxes={boxes} area={areaOf(version) ?? area} />
            <figcaption class="soft">
              {version === asset ? "Pending" : <Approved base={version} />}
            </figcaption>
          </figure>
        ))}
      </div>
      {area && base && <Places boxes={boxes} area={area} versions={versions} />}
    </>
  );
}

interface ToolProps {
  act: string;
  label: string;
  shortcut?: string;
  /** On a wide screen keys do it, or nothing has to. */
  isForTouch?: boolean;
}

const Tool = ({ act, label, shortcut, isForTouch }: ToolProps) => (
  <button type="button" data-preview-act={act} class={isForTouch ? "narrow-only" : undefined}>
    {label} {shortcut && <kbd>{shortcut}</kbd>}
  </button>
);

const Approved = ({ base }: { base: Asset }) => (
  <>
    Approved <a href={`/assets/${base.id}`}>version {base.version}</a>
    {base.reviewed_by && (
      <>
        {" by "}
        <Actor of={base.reviewed_by} />
      </>
    )}
  </>
);

/** The file itself if it is an image, else its thumbnail, or what svc draws of it. */
const sourceOf = ({ id, kind, url, thumb_url }: Asset): string =>
  (kind === "image" ? url : null) ?? thumb_url ?? drawnPath({ id });

interface PictureProps {
  version: Asset;
  boxes: readonly ChangeBox[];
  area: Box | null;
}

function Picture({ version, boxes, area }: PictureProps) {
  const source = sourceOf(version);
  const alt = `${version.title}, version ${version.version}`;
  if (!area) return <img src={source} alt={alt} />;
  return (
    <svg viewBox={`0 0 ${area.w} ${area.h}`} role="img" aria-label={alt}>
      <image href={source} width={area.w} height={area.h} />
      <Outlines boxes={boxes} image={area} />
    </svg>
  );
}

interface PlacesProps {
  boxes: readonly ChangeBox[];
  area: Box;
  versions: readonly Asset[];
}

/** The smallest places, larger. */
function Places({ boxes, area, versions }: PlacesProps) {
  const sizeOf = ({ w, h }: Box) => w * h;
  const places = boxes
    .map((box) => placeOf(box, area, 0.03))
    .filter((place) => sizeOf(place) < largeShare * sizeOf(area))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
    .slice(0, placesMax);
  return (
    <>
      {places.map((place) => (
        <div class="preview-pair" key={`${place.x},${place.y}`}>
          {versions.map((version) => (
            <svg
              key={version.id}
              viewBox={`${place.x} ${place.y} ${place.w} ${place.h}`}
              role="img"
              aria-label={`What changed, in version ${version.version}`}
            >
              <image href={sourceOf(version)} width={area.w} height={area.h} />
            </svg>
          ))}
        </div>
      ))}
    </>
  );
}
