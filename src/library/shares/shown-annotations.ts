/** The annotations that a share link shows, and under which names. */

import { toAnnotation } from "../annotations/rendered-annotation.ts";
import type { AnnotationRow } from "../annotations/rows.ts";
import { perVersionMax } from "../annotations/rule.ts";
import type { Annotation } from "../annotations/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { LiveShare } from "./access.ts";
import { guestReader, hasRight } from "./guest.ts";
import type { ShareRow } from "./rows.ts";

/** Whether the page of a share has annotations at all. */
export const hasAnnotations = (share: Pick<ShareRow, "rights" | "annotations">): boolean =>
  share.annotations === "all" || hasRight(share, "comment");

/**
 * The annotations and replies of the version that a share shows, and, if it follows the newest version, those
 * of earlier ones that are not settled.
 */
export async function shownAnnotations(
  { data }: Pick<LibraryContext, "data">,
  { share, asset }: LiveShare,
): Promise<Annotation[]> {
  if (!hasAnnotations(share)) return [];
  const limit = perVersionMax;
  const [ofVersion, ofChain] = await Promise.all([
    data.annotations({ asset_id: asset.id }, guestReader(share), { limit }),
    share.follows === "latest" ? data.unsettledAnnotations(asset.root_id, { limit }) : [],
  ]);
  const earlier = ofChain.filter(({ version }) => version < asset.version);
  const ids = earlier.map(({ id }) => id);
  const replies = ids.length > 0 ? await data.annotationReplies(ids, limit) : [];
  return visibleTo(share, [...ofVersion, ...earlier, ...replies]).map((row) => withoutNames(share, row));
}

/** Of the annotations of others, only those that still apply; of threads that are not shown, no reply. */
function visibleTo(share: ShareRow, rows: readonly AnnotationRow[]): AnnotationRow[] {
  const isVisible = (row: AnnotationRow) =>
    isOwn(share, row) || (share.annotations === "all" && row.state !== "draft" && row.state !== "withdrawn");
  const threads = new Set(rows.filter((row) => row.parent_id === null && isVisible(row)).map(({ id }) => id));
  return rows.filter((row) => threads.has(row.parent_id ?? row.id) && isVisible(row));
}

const isOwn = (share: ShareRow, { origin, reader }: AnnotationRow): boolean =>
  origin === "share" && reader === guestReader(share);

/** Names of the team stay inside, and a recipient does not learn who else has a link. */
function withoutNames(share: ShareRow, row: AnnotationRow): Annotation {
  const others = row.origin === "share" ? "someone with another link" : "the team";
  const by = isOwn(share, row) ? row.by.slice(row.by.indexOf(":") + 1) : others;
  return { ...toAnnotation(row), by, state_by: null };
}
