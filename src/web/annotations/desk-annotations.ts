/** The annotations of an asset as the review desk needs them. */

import type { Annotation } from "../../library/annotations/schema.ts";
import type { Asset, AssetDetail } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, urlWith, type View } from "../view.ts";
import { type AnnotationForms, type AssetAnnotations, loadAssetAnnotations } from "./asset-annotations.ts";
import { entryUrls, markParameter } from "./list-pages.tsx";
import type { ShownPins } from "./pins.tsx";

export interface DeskAnnotations extends AssetAnnotations {
  forms: AnnotationForms;
  /** The earlier versions that open annotations are from, by id. */
  versions: ReadonlyMap<string, Asset>;
  pins: ShownPins;
}

/** Crops of more earlier versions than these are not shown. */
const versionsMax = 5;

export async function loadDeskAnnotations(view: View, asset: AssetDetail): Promise<DeskAnnotations> {
  const loaded = await loadAssetAnnotations(view, asset);
  const ids = [...new Set(loaded.earlier.map(({ asset_id }) => asset_id))].slice(-versionsMax);
  const versions = await Promise.all(ids.map((id) => callOperation<AssetDetail>(view, getAsset, { id })));
  const canReply = view.visitor.signedIn && hasScope(view, "assets:review");
  const href = entryUrls(loaded.annotations, view.url);
  const query = urlWith(view.url, { reviewed: null, [markParameter]: null }).slice(view.url.pathname.length);
  return {
    ...loaded,
    versions: new Map(versions.map((version) => [version.id, version])),
    pins: { annotations: loaded.annotations, ghosts: ghostsOf(loaded, asset, versions), href },
    forms: {
      action: `/assets/${asset.id}/annotations${query}`,
      csrf: view.visitor.csrf,
      weight: "must",
      canReply,
      canAdd: canReply && asset.status !== "superseded",
      canDecide: canReply,
    },
  };
}

type Picture = Pick<Asset, "id" | "kind" | "width" | "height">;

/** The open annotations of earlier versions whose places are drawn on this one. */
export const ghostsOf = ({ earlier }: AssetAnnotations, asset: Picture, versions: Picture[]): Annotation[] =>
  earlier.filter(({ asset_id }) =>
    hasSameShape(
      asset,
      versions.find(({ id }) => id === asset_id),
    ),
  );

/** The most that two aspect ratios differ by rounding to whole pixels. */
const ratioTolerance = 0.01;

/** Whether a place in one is the same place in the other. */
export function hasSameShape(asset: Picture, other: Picture | undefined): boolean {
  if (asset.kind !== "image" || other?.kind !== "image") return false;
  const ratio = ({ width, height }: Picture) => (width && height ? width / height : Number.NaN);
  return Math.abs(ratio(asset) / ratio(other) - 1) < ratioTolerance;
}

/** The pins of an earlier version beside the one that is reviewed: what is still open. */
export const pinsOfEarlier = ({ earlier, pins }: DeskAnnotations, { id }: Asset): ShownPins => ({
  annotations: earlier.filter(({ asset_id }) => asset_id === id),
  href: pins.href,
});
