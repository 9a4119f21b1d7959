/** How decisions of rejections name what they are about: a set, as `source_ref`, or the id of an asset. */

import type { Config } from "../core/config.ts";
import type { Micros } from "../core/lib/time.ts";
import type { DecisionRow } from "./rows.ts";

/** `source` of the decisions that rejections create. */
export const reviewSource = "review";

/** `set:` and the name. No id of an asset begins with it. */
export const setRefPrefix = "set:";

export const setRef = (set: string): string => setRefPrefix + set;

/** The name of the set that a decision of a review is about; null if it is about one asset. */
export const setOfRef = (ref: string | null): string | null =>
  ref?.startsWith(setRefPrefix) ? ref.slice(setRefPrefix.length) : null;

/** Whether the rejection at this time became this decision: that of the asset, or that of its set. */
export const isDecisionOf = (
  { source_ref, valid_from }: Pick<DecisionRow, "source_ref" | "valid_from">,
  { id, set, reviewed_at }: { id: string; set?: string | null; reviewed_at: Micros | null },
): boolean => source_ref === id || (set != null && source_ref === setRef(set) && valid_from === reviewed_at);

/** The page of what a review rejected: of an asset, or of a set. */
export function rejectedPath(project: string | null, ref: string): string {
  const set = setOfRef(ref);
  return set === null || project === null ? `/assets/${encodeURIComponent(ref)}` : setPath(project, set);
}

/** The URL of the page where a person picks from a set. */
export const setPageUrl = ({ siteUrl }: Pick<Config, "siteUrl">, project: string, set: string): string =>
  siteUrl + setPath(project, set);

/** The page of a set. */
export const setPath = (project: string, set: string): string =>
  `/projects/${project}/sets/${encodeURIComponent(set)}`;
