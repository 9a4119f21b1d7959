/** Loads the groups of the page, and decides which of their tiles it shows. */
import type { PendingGroup, PendingGroups, PendingItem } from "../../library/comparisons/schema.ts";
import { listPendingGroups } from "../../library/operations/comparisons.ts";
import { callOperation, filtersOf, type View } from "../view.ts";
import { bulkFilters, onlyParameter } from "./parameters.ts";

/** Tiles of a page: 500 would be 400 KB of HTML. */
const tilesMax = 120;
/** Of those that are the same as approved ones. */
const sameTilesMax = 24;

export interface ShownGroup {
  kind: PendingGroup["kind"];
  /** Ids that a decision about the group is about: what is shown, or has proven to be the same. */
  ids: string[];
  count: number;
  shown: PendingItem[];
}

export interface ShownGroups {
  groups: ShownGroup[];
  /** Of all pending assets that the filters find. */
  count: number;
  hasMore: boolean;
  only: string | null;
}

export async function loadGroups(view: View): Promise<ShownGroups> {
  const filters = filtersOf(view.url, bulkFilters);
  const numbers = Object.fromEntries(
    ["issue", "pr"].flatMap((name) =>
      /^\d+$/.test(filters[name] ?? "") ? [[name, Number(filters[name])]] : [],
    ),
  );
  const found = await callOperation<PendingGroups>(view, listPendingGroups, { ...filters, ...numbers });
  const only = view.url.searchParams.get(onlyParameter);
  const groups: ShownGroup[] = [];
  let left = tilesMax;
  for (const { kind, items } of found.groups) {
    if (only !== null && kind !== only) continue;
    const shown = items.slice(0, only === "same" ? items.length : kind === "same" ? sameTilesMax : left);
    if (kind !== "same") left -= shown.length;
    if (shown.length === 0) continue;
    const decided = kind === "same" ? items : shown;
    groups.push({ kind, ids: decided.map(({ asset }) => asset.id), count: items.length, shown });
  }
  return { groups, count: found.count, hasMore: found.has_more, only };
}
