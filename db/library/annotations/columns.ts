/** The columns of annotations, and how their rows are read. */
import { getTableColumns } from "drizzle-orm";
import type { AnnotationRow } from "../../../src/library/annotations/rows.ts";
import type { Session } from "../../engine/session.ts";

type StoredAnnotation = Omit<AnnotationRow, "target"> & { target: string | null };

/** The row with its target parsed. */
export const parseAnnotation = (row: StoredAnnotation): AnnotationRow => ({
  ...row,
  target: row.target === null ? null : JSON.parse(row.target),
});

/** All columns except the one that only sorts lists. */
export function columnsOf({ t: { annotations } }: Session) {
  const { rank: _, ...columns } = getTableColumns(annotations);
  return columns;
}
