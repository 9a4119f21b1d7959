/** Lists of annotations. */

import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import { requireAsset } from "../assets/library.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import { rankOf } from "./rank.ts";
import { toAnnotation } from "./rendered-annotation.ts";
import type { AnnotationsQuery } from "./requests.ts";
import type { AnnotationRow } from "./rows.ts";
import type { AnnotationList } from "./schema.ts";

/** A page of annotations. Drafts are listed only for their author. */
export async function listAnnotations(
  ctx: LibraryContext,
  { id, scope = "version", limit = 50, cursor }: AnnotationsQuery,
  caller: Caller,
): Promise<AnnotationList> {
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
}

function readPosition(cursor: string): { n: number; rank: number; id: string } {
  const { ts, rest } = readCursor(cursor);
  return { n: ts ?? 0, rank: Number(rest[0]), id: rest.slice(1) };
}

/** Annotations in the detail of an asset. */
const detailMax = 50;
/** Replies of one page of annotations: the newest. */
const repliesMax = 200;

/** The most urgent of all versions of a chain, sorted by rank. */
export const openAnnotations = (
  { data }: Pick<LibraryContext, "data">,
  chain: string,
): Promise<AnnotationRow[]> => data.unsettledAnnotations(chain, { limit: detailMax });

/** How many there are in all, of which these are the first. */
export const countOpen = async (
  { data }: Pick<LibraryContext, "data">,
  chain: string,
  { length }: AnnotationRow[],
): Promise<number> => (length < detailMax ? length : data.countUnsettled(chain));

/** The annotations, each followed by its replies. */
export async function withReplies(data: LibraryReads, rows: AnnotationRow[]): Promise<AnnotationRow[]> {
  const ids = rows.map(({ id }) => id);
  const replies = Map.groupBy(await data.annotationReplies(ids, repliesMax), ({ parent_id }) => parent_id);
  return rows.flatMap((row) => [row, ...(replies.get(row.id) ?? [])]);
}
