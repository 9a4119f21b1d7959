/**
 * The parts of the desk that annotations appear in. Scripts ask for these after a change or for another page
 * of the list, since a browser needs too long for a whole page with a thousand annotations.
 */
import type { Asset } from "../../library/assets/schema.ts";
import { loadShownText } from "../desk/asset-text.ts";
import { GuestName, loadDeskAsset } from "../desk/guest.tsx";
import { SentSummary } from "../desk/review/sent-annotations.tsx";
import type { ShownText } from "../desk/text/shown-text.ts";
import { type Page, urlWith, type View } from "../view.ts";
import { Annotations } from "./annotations.tsx";
import { countSent } from "./asset-annotations.ts";
import { type DeskAnnotations, loadDeskAnnotations, pinsOfEarlier } from "./desk-annotations.ts";
import { EarlierAnnotations } from "./earlier-annotations.tsx";
import type { RefusedAnnotation } from "./form/annotation-form.tsx";
import { markParameter, partsParameter } from "./list-pages.tsx";
import { Pins, type ShownPins } from "./pins.tsx";
import { LinesOf } from "./text/text-view.tsx";
import { Timeline } from "./timeline.tsx";

export async function annotationParts(view: View, refused?: RefusedAnnotation): Promise<Page> {
  const asset = await loadDeskAsset(view);
  const url = new URL(urlWith(view.url, { [partsParameter]: null }), view.url);
  const marks = await loadDeskAnnotations({ ...view, url }, asset);
  const text =
    markOf(url) && marks.annotations.length > 0 ? await loadShownText(view, asset, marks.annotations) : null;
  const body = (
    <>
      <EarlierAnnotations {...marks} asset={asset} />
      <Annotations {...marks} asset={asset} url={url} refused={refused} />
      {view.guest ? (
        <GuestName guest={view.guest} />
      ) : (
        <SentSummary sent={countSent(marks)} project={asset.project ?? ""} />
      )}
      {markOf(url) > 0 && <MarksOf asset={asset} marks={marks} text={text} n={markOf(url)} />}
    </>
  );
  return { title: asset.title, navEntry: "assets", body };
}

/** The number of the annotation that a URL names; 0 without one. */
const markOf = ({ searchParams }: URL): number => Number(searchParams.get(markParameter)) || 0;

interface MarksProps {
  asset: Asset;
  marks: DeskAnnotations;
  text: ShownText | null;
  /** Number of the annotation. */
  n: number;
}

/** Where one annotation is drawn: over the version, over earlier ones beside it, and on timelines. */
function MarksOf({ n, asset, marks, text }: MarksProps) {
  const only = ({ annotations, ghosts = [], href }: ShownPins): ShownPins => ({
    annotations: annotations.filter((one) => one.n === n),
    ghosts: ghosts.filter((one) => one.n === n),
    href,
  });
  const viewers = [
    { asset, pins: marks.pins },
    ...[...marks.versions.values()].map((version) => ({
      asset: version,
      pins: pinsOfEarlier(marks, version),
    })),
  ];
  return (
    <div data-marks-of={n} hidden>
      {viewers.map((shown) => (
        <div key={shown.asset.id}>
          <svg data-pins={shown.asset.id} aria-hidden="true">
            <Pins {...only(shown.pins)} />
          </svg>
          <Timeline asset={shown.asset} pins={only(shown.pins)} />
        </div>
      ))}
      {text && !text.rendering && <LinesOf {...text} pins={marks.pins} n={n} />}
    </div>
  );
}
