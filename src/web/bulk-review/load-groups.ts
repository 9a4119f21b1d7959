/** Loads the groups of the page by the filters of its URL. */
import { type GroupKind, groupKinds, type PendingGroups } from "../../library/comparisons/schema.ts";
import { listPendingGroups } from "../../library/operations/comparisons.ts";
import { callOperation, filtersOf, type View } from "../view.ts";
import { bulkFilters, onlyParameter } from "./parameters.ts";

export interface ShownGroups extends PendingGroups {
  /** Null: groups of every kind. */
  only: GroupKind | null;
}

export async function loadGroups(view: View): Promise<ShownGroups> {
  const filters = filtersOf(view.url, bulkFilters);
  const numbers = Object.fromEntries(
    ["issue", "pr"].flatMap((name) =>
      /^\d+$/.test(filters[name] ?? "") ? [[name, Number(filters[name])]] : [],
    ),
  );
  const named = view.url.searchParams.get(onlyParameter);
  const only = groupKinds.find((kind) => kind === named) ?? null;
  const query = { ...filters, ...numbers, only };
  return { ...(await callOperation<PendingGroups>(view, listPendingGroups, query)), only };
}
