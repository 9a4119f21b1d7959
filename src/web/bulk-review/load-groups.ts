/** Loads the groups of the page by the filters of its URL. */
import { type GroupKind, groupKinds, type PendingGroups } from "../../library/comparisons/schema.ts";
import { listPendingGroups } from "../../library/operations/comparisons.ts";
import type { ChecklistRow } from "../../library/rows.ts";
import { loadSetReviewState } from "../../library/verdicts/review-state.ts";
import { callOperation, filtersOf, type View } from "../view.ts";
import { bulkFilters, onlyParameter } from "./parameters.ts";

export interface ShownGroups extends PendingGroups {
  /** Null: groups of every kind. */
  only: GroupKind | null;
  /** That of all of them; null if they are of several projects or kinds. */
  checklist: ChecklistRow | null;
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
  const found = await callOperation<PendingGroups>(view, listPendingGroups, query);
  return { ...found, only, checklist: await loadChecklist(view, found) };
}

async function loadChecklist({ ctx }: View, { groups }: PendingGroups): Promise<ChecklistRow | null> {
  const variants = groups.flatMap(({ items }) => items.map(({ asset }) => asset));
  const [project, another] = new Set(variants.map((asset) => asset.project));
  if (!project || another !== undefined) return null;
  return (await loadSetReviewState(ctx, project, { variants, shown: [] })).checklist;
}
