/** The annotations of an asset as the review desk needs them. */

import { isAdmin } from "../../core/auth/permissions.ts";
import type { Annotation } from "../../library/annotations/schema.ts";
import type { Asset, AssetDetail } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import { hasRight, shownAnnotations, versionsOfShare } from "../../library/shares/guest.ts";
import { guestAction, senderOf } from "../desk/guest.tsx";
import { hasScope } from "../layout.tsx";
import { callOperation, readFor, urlWith, type View } from "../view.ts";
import {
  type AnnotationForms,
  type AssetAnnotations,
  groupThreads,
  loadAssetAnnotations,
} from "./asset-annotations.ts";
import { entryUrls, markParameter } from "./list-pages.tsx";
import type { ShownPins } from "./pins.tsx";

export interface DeskAnnotations extends AssetAnnotations {
  forms: AnnotationForms;
  /** The earlier versions that open annotations are from, by id: a share gives out the file of one version only. */
  versions: ReadonlyMap<string, Asset>;
  pins: ShownPins;
}

/** Crops of more earlier versions than these are not shown. */
const versionsMax = 5;

export async function loadDeskAnnotations(view: View, asset: AssetDetail): Promise<DeskAnnotations> {
  const { ctx, guest, url, visitor } = view;
  const loaded = guest
    ? groupThreads(await readFor(view, shownAnnotations(ctx, guest)), asset)
    : await loadAssetAnnotations(view, asset);
  const ids = [...new Set(loaded.earlier.map(({ asset_id }) => asset_id))].slice(-versionsMax);
  const shown = guest
    ? []
    : await Promise.all(ids.map((id) => callOperation<AssetDetail>(view, getAsset, { id })));
  const earlier = guest && ids.length > 0 ? await versionsOfShare(ctx, guest) : shown;
  const canReply = guest
    ? hasRight(guest.share, "comment")
    : visitor.signedIn && hasScope(view, "assets:review");
  const query = urlWith(url, { reviewed: null, [markParameter]: null }).slice(url.pathname.length);
  return {
    ...loaded,
    versions: new Map(shown.map((version) => [version.id, version])),
    pins: {
      annotations: loaded.annotations,
      ghosts: ghostsOf(loaded, asset, earlier),
      href: entryUrls(loaded.annotations, url),
    },
    forms: {
      action: guest ? guestAction(view, guest, "comment") : `/assets/${asset.id}/annotations${query}`,
      csrf: visitor.csrf,
      weight: guest ? "should" : "must",
      ...(guest && { sender: senderOf(guest) }),
      canReply,
      canAdd: canReply && asset.status !== "superseded",
      canDecide: canReply && !guest,
      canRedact: isAdmin(visitor.caller),
    },
  };
}

type Picture = Pick<Asset, "id" | "kind" | "width" | "height">;

/** The open annotations of earlier versions whose places are drawn on this one. */
const ghostsOf = ({ earlier }: AssetAnnotations, asset: Picture, versions: Picture[]): Annotation[] =>
  earlier.filter(({ asset_id }) =>
    hasSameShape(
      asset,
      versions.find(({ id }) => id === asset_id),
    ),
  );

/** The most that two aspect ratios differ by rounding to whole pixels. */
const ratioTolerance = 0.01;

/** Whether a place in one is the same place in the other. */
function hasSameShape(asset: Picture, other: Picture | undefined): boolean {
  if (asset.kind !== "image" || other?.kind !== "image") return false;
  const ratio = ({ width, height }: Picture) => (width && height ? width / height : Number.NaN);
  return Math.abs(ratio(asset) / ratio(other) - 1) < ratioTolerance;
}

/** The pins of an earlier version beside the one that is reviewed: what is still open. */
export const pinsOfEarlier = ({ earlier, pins }: DeskAnnotations, { id }: Asset): ShownPins => ({
  annotations: earlier.filter(({ asset_id }) => asset_id === id),
  href: pins.href,
});
