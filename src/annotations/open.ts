/** The annotations of an asset that no person has confirmed yet, with their replies. */
import type { Context } from "../context.ts";
import type { AnnotationReads, AnnotationRow } from "./port.ts";
import { toAnnotation } from "./rendered-annotation.ts";
import { type AnnotationSummary, summarize } from "./schema.ts";

/** Annotations in the detail of an asset. */
const detailMax = 50;
/** Replies of one page of annotations: the newest. */
const repliesMax = 200;

/** The most urgent of all versions of a chain, each followed by its replies, and how many there are in all. */
export async function openAnnotations(
  { data }: Pick<Context, "data">,
  chain: string,
): Promise<{ annotations: AnnotationSummary[]; total: number }> {
  const rows = await data.unsettledAnnotations(chain, { limit: detailMax });
  const total = rows.length < detailMax ? rows.length : await data.countUnsettled(chain);
  return { annotations: (await withReplies(data, rows)).map(toAnnotation).map(summarize), total };
}

/** The annotations, each followed by its replies. */
export async function withReplies(
  data: Pick<AnnotationReads, "annotationReplies">,
  rows: AnnotationRow[],
): Promise<AnnotationRow[]> {
  const ids = rows.map(({ id }) => id);
  const replies = Map.groupBy(await data.annotationReplies(ids, repliesMax), ({ parent_id }) => parent_id);
  return rows.flatMap((row) => [row, ...(replies.get(row.id) ?? [])]);
}
