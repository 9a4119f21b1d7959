/** The order of annotations that are not settled. */

import { weights } from "../../files/probe/marks/schema.ts";
import type { AnnotationRow } from "./rows.ts";

/**
 * The place among the unsettled annotations of a chain: reopened ones come first, then those of greater
 * weight.
 */
export const rankOf = ({ reopened, weight }: Pick<AnnotationRow, "reopened" | "weight">): number =>
  (reopened > 0 ? 0 : weights.length) + weights.indexOf(weight);
