/** What waits for a review, as lines of a brief. A variant set is one line. */

import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { dayOf } from "../../core/lib/time.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { loadNewest } from "../../library/review-queue/items.ts";
import { variantsText } from "../../library/review-queue/text.ts";
import type { OverviewReads } from "../port.ts";
import { reviewLine } from "./lines.ts";

/** The newest, at most `max`. */
export async function loadOpenReviews(
  data: Pick<OverviewReads, "assetsById" | "pendingAssets" | "pendingSets">,
  project: string,
  max: number,
): Promise<string[]> {
  const items = await loadNewest(data, project, max);
  const found = await data.assetsById(items.map(({ id }) => id));
  const assets = new Map(found.map(({ id, wire }) => [id, JSON.parse(wire) as Asset]));
  return items.flatMap(({ id, at, set }) => {
    const asset = assets.get(id);
    if (!asset) return [];
    if (!set) return [reviewLine(asset)];
    const name = escapeControls(set.set);
    return [
      `- ${dayOf(at)}, set of ${variantsText(set.count)}, by ${escapeControls(asset.created_by)}: ${name}`,
    ];
  });
}
