/** The annotations of an asset that no person has confirmed yet, with their replies. */
import type { LibraryContext } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { AnnotationRow } from "./rows.ts";

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
