/** Annotations as responses. */
import { fromMicros } from "../../core/lib/time.ts";
import type { AnnotationRow } from "./rows.ts";
import type { Annotation } from "./schema.ts";
import { annotationLine } from "./text.ts";

/** The annotation as clients see it. */
export function toAnnotation(row: AnnotationRow): Annotation {
  const { project: _, chain: __, reader: ___, urgent_at: ____, ...annotation } = row;
  return {
    ...annotation,
    created_at: fromMicros(row.created_at),
    state_at: row.state_at === null ? null : fromMicros(row.state_at),
    text: annotationLine(row),
  };
}
