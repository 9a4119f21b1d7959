/** Loads the groups of the page by the filters of its URL. */
import type { Asset } from "../../library/assets/schema.ts";
import { type GroupKind, groupKinds, type PendingGroups } from "../../library/comparisons/schema.ts";
import { listPendingGroups } from "../../library/operations/comparisons.ts";
import type { ChecklistRow } from "../../library/rows.ts";
import { type EarlierVersion, loadEarlierVersions } from "../../library/verdicts/earlier.ts";
import { loadOwnVersions, loadSetReviewState } from "../../library/verdicts/review-state.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, filtersOf, readFor, type View } from "../view.ts";
import { bulkFilters, onlyParameter } from "./parameters.ts";

export interface ShownGroups extends PendingGroups {
  /** Null: groups of every kind. */
  only: GroupKind | null;
  /** That of all of them; null if they are of several projects or kinds. */
  checklist: ChecklistRow | null;
  /** The versions that those with a tile replaced, by the ids of these. */
  earlier: ReadonlyMap<string, EarlierVersion>;
  /** What the visitor made, and so cannot approve. */
  own: ReadonlySet<string>;
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
  const shown = found.groups.flatMap(({ items }) => items.map(({ asset }) => asset));
  const ids = found.groups.flatMap((group) => [...group.ids]);
  const [checklist, earlier, own] = await Promise.all([
    loadChecklist(view, shown),
    readFor(view, loadEarlierVersions(view.ctx, shown)),
    hasScope(view, "assets:review") ? loadOwnVersions(view.ctx, ids, view.visitor.caller) : new Set<string>(),
  ]);
  return { ...found, only, checklist, earlier, own };
}

async function loadChecklist({ ctx }: View, variants: readonly Asset[]): Promise<ChecklistRow | null> {
  const [project, another] = new Set(variants.map((asset) => asset.project));
  if (!project || another !== undefined) return null;
  return (await loadSetReviewState(ctx, project, { variants, shown: [] })).checklist;
}
