/** What annotations put into a brief: the reopened ones, and what rejections need not carry any more. */
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import type { AnnotationRow } from "../../library/annotations/rows.ts";
import { annotationLine, hasPlaceOnImage } from "../../library/annotations/text.ts";
import type { LibraryReads } from "../../library/port.ts";
import type { RejectionRow, UrgentAnnotation } from "../../library/rows.ts";
import { rejectionEntry } from "../brief/rejection.ts";
import type { Section } from "../brief/text-budget.ts";

const urgentMax = 50;
/** A brief has space for fewer rejections than this. */
const rejectionsMax = 40;
const retiredMax = 1000;

/** The reopened annotations of a project: those of the issue first, then the newest. */
export async function reopenedSection(
  data: Pick<LibraryReads, "annotationReplies" | "urgentAnnotations">,
  project: string,
  issue: number | undefined,
  enclose: TagData,
): Promise<Section> {
  const rows = await data.urgentAnnotations(project, urgentMax);
  const ids = rows.map(({ id }) => id);
  const replies = new Map((await data.annotationReplies(ids, urgentMax)).map((row) => [row.parent_id, row]));
  const isOther = ({ asset }: UrgentAnnotation) => Number(asset.issue !== issue);
  const sorted = issue === undefined ? rows : rows.toSorted((a, b) => isOther(a) - isOther(b));
  return {
    title: "Reopened by a reviewer: do first",
    entries: sorted.map((row) => {
      const entry = rejectionEntry({ ...asRejection(row), text: annotationLine(row) }, enclose);
      const reply = replies.get(row.id);
      if (!reply) return entry;
      return { ...entry, full: () => `${entry.full()}\n  last reply: ${enclose(reply.by, reply.body)}` };
    }),
    budgetShare: 0.4,
    ...imageHintFor(rows.map(annotationLine)),
    ...(sorted.length > 0 && { essential: { at: 0, rank: 2 } }),
    fetch: `svc_asset_get {"id": "${sorted[0]?.asset_id ?? ""}"}`,
  };
}

/** Below the title of a section whose entries have places. */
const imageHint = `Places on an image: svc_asset_get {"id": …, "image": true} shows them.`;

/** The hint, if one of the texts has a place on an image. */
export const imageHintFor = (texts: readonly string[]): { hint?: string } =>
  texts.some(hasPlaceOnImage) ? { hint: imageHint } : {};

const asRejection = ({ urgent_at, by, asset }: UrgentAnnotation) => ({
  id: 0,
  valid_from: urgent_at,
  actor: by,
  source_ref: asset.id,
  asset,
});

/**
 * The rejections without the lines of annotations that were confirmed or withdrawn since, and of those that
 * were reopened, which come first in the brief.
 */
export async function withoutRetiredLines<R extends RejectionRow>(
  data: Pick<LibraryReads, "retiredAnnotations">,
  rejections: readonly R[],
): Promise<R[]> {
  const assets = rejections.slice(0, rejectionsMax).flatMap(({ asset }) => asset?.id ?? []);
  const retired = Map.groupBy(await data.retiredAnnotations(assets, retiredMax), ({ of }) => of);
  return rejections.map((rejection) => {
    const rows = retired.get(rejection.asset?.id ?? "");
    return rows ? { ...rejection, text: textWithout(rejection.text, rows) } : rejection;
  });
}

function textWithout(text: string, rows: readonly AnnotationRow[]): string {
  const lines = text.split("\n");
  const settled = new Set(rows.filter(({ urgent_at }) => urgent_at === null).flatMap(linesOf));
  const reopened = new Set(rows.filter(({ urgent_at }) => urgent_at !== null).flatMap(linesOf));
  const remaining = lines.filter((line) => !settled.has(line) && !reopened.has(line));
  const count = lines.filter((line) => settled.has(line)).length;
  return [...remaining, ...(count > 0 ? [`(${count} more: confirmed or withdrawn since)`] : [])].join("\n");
}

/** How a decision may have written an annotation: as it was before it was reopened, and after. */
const linesOf = (row: AnnotationRow): string[] =>
  [0, 1].map((reopened) => annotationLine({ ...row, state: "open", reopened }));
