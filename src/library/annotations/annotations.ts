/** Lists of annotations. */

import { readerOf } from "../../core/auth/reader.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import { requireAsset } from "../assets/library.ts";
import type { LibraryRule } from "../context.ts";
import { withReplies } from "./open.ts";
import { rankOf } from "./rank.ts";
import { toAnnotation } from "./rendered-annotation.ts";
import type { AnnotationsQuery } from "./requests.ts";
import type { AnnotationList } from "./schema.ts";

/** A page of annotations. Drafts are listed only for their author. */
export const listAnnotations: LibraryRule<AnnotationsQuery, AnnotationList> = async (
  ctx,
  { id, scope = "version", limit = 50, cursor },
  caller,
) => {
  const asset = await requireAsset(ctx, id, caller);
  const after = cursor === undefined ? {} : { after: readPosition(cursor) };
  const page = { limit: limit + 1, ...after };
  const rows =
    scope === "open"
      ? await ctx.data.unsettledAnnotations(asset.root_id, page)
      : await ctx.data.annotations(
          scope === "chain" ? { chain: asset.root_id } : { asset_id: id },
          readerOf(caller),
          page,
        );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const listed = scope === "open" ? await withReplies(ctx.data, shown) : shown;
  return {
    annotations: listed.map(toAnnotation),
    next_cursor: rows.length > limit && last ? cursorOf(last.n, `${rankOf(last)}${last.id}`) : null,
  };
};

function readPosition(cursor: string): { n: number; rank: number; id: string } {
  const { ts, rest } = readCursor(cursor);
  return { n: ts ?? 0, rank: Number(rest[0]), id: rest.slice(1) };
}
