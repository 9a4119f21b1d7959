/** The annotations of a share, as the viewer and the list of the review desk show them. */

import type { Context } from "../../api/context.ts";
import { assetFields } from "../../library/assets/rendered-asset.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { hasRight } from "../../library/shares/guest.ts";
import { shownAnnotations } from "../../library/shares/shown-annotations.ts";
import type { OpenShare } from "../../library/shares/visits.ts";
import { groupThreads } from "../annotations/asset-annotations.ts";
import { type DeskAnnotations, ghostsOf } from "../annotations/desk-annotations.ts";
import { entryUrls } from "../annotations/list-pages.tsx";
import { urlWith } from "../view.ts";
import { doneParameter } from "./notices.ts";

/** @param asset the version that is shown @param url of the page */
export async function loadShareAnnotations(
  ctx: Context,
  open: OpenShare,
  asset: Asset,
  url: URL,
): Promise<DeskAnnotations> {
  const { share, session, name } = open;
  const loaded = groupThreads(await shownAnnotations(ctx, open), asset);
  const versions = loaded.earlier.length > 0 ? await ctx.data.versions(open.asset.root_id) : [];
  const ghosts = ghostsOf(loaded, asset, versions.map(assetFields));
  const canReply = hasRight(share, "comment");
  const query = urlWith(url, { [doneParameter]: null }).slice(url.pathname.length);
  return {
    ...loaded,
    // No crops: a share gives out the file of one version only.
    versions: new Map(),
    pins: { annotations: loaded.annotations, ghosts, href: entryUrls(loaded.annotations, url) },
    forms: {
      action: `/s/${share.id}/comment${query}`,
      csrf: session.csrf,
      weight: "should",
      guestName: name,
      canReply,
      canAdd: canReply && asset.status !== "superseded",
      canDecide: false,
    },
  };
}
