/** Pending assets in groups, and one of them beside the version that was approved. */
import { noAsset } from "../../core/problem.ts";
import { boxesMax } from "../../files/probe/likeness/schema.ts";
import { renderAssets, requireAsset, toAsset } from "../assets/library.ts";
import type { Asset } from "../assets/schema.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import { approvedByCaller } from "../verdicts/approvals.ts";
import { groupCompared, outlinesOf } from "./group.ts";
import type { ComparedAsset } from "./rows.ts";
import type { Comparison, PendingGroups, PendingGroupsQuery, PendingItem } from "./schema.ts";

/** More are not decided in one sitting: the page is opened again. */
const groupedMax = 500;
/** Items of all groups: 500 tiles would be 350 KB of HTML. */
const itemsMax = 100;
/** Of those that are the same as approved ones. */
const sameItemsMax = 12;

/** A comparison is tried so often: a file that fails each time would keep a child process busy. */
const triesMax = 3;

/** Has what could not be compared compared again, and shows it as waiting. */
async function retryFailed({ data }: LibraryContext, rows: ComparedAsset[]): Promise<ComparedAsset[]> {
  const isDue = ({ isWaiting, failures }: ComparedAsset) => !isWaiting && failures > 0 && failures < triesMax;
  const failed = rows.filter(isDue).map(({ id }) => id);
  if (failed.length === 0) return rows;
  await data.atomically((writes) => writes.retryComparisons(failed));
  return rows.map((row) => (isDue(row) ? { ...row, isWaiting: true } : row));
}

/** What waits for a verdict of the caller. Each variant of a set is one: its page decides about files. */
export const listPendingGroups: LibraryRule<PendingGroupsQuery, PendingGroups> = async (
  ctx,
  { run, only, ...filter },
  caller,
) => {
  const query = { ...filter, ...(run !== undefined && { run_id: run }) };
  const [pending, approved] = await Promise.all([
    ctx.data.pendingComparisons(caller.projects, query, groupedMax + 1),
    approvedByCaller(ctx, caller),
  ]);
  const rows = await retryFailed(
    ctx,
    pending.filter(({ id }) => !approved.has(id)),
  );
  const grouped = groupCompared(rows.slice(0, groupedMax)).filter(
    ({ kind }) => only === undefined || kind === only,
  );
  let left = itemsMax;
  const shown = grouped.map(({ kind, items }) => {
    const isSame = kind === "same";
    const listed = items.slice(0, isSame && only === undefined ? sameItemsMax : isSame ? items.length : left);
    if (!isSame) left -= listed.length;
    return { kind, items, listed };
  });
  const assets = await loadAssets(
    ctx,
    shown.flatMap(({ listed }) => listed),
  );
  const groups = shown.flatMap(({ kind, items, listed }) => {
    const decided = kind === "same" ? items : listed;
    const found = listed.flatMap((row) => toItem(row, assets));
    const ids = decided.map(({ id }) => id);
    return found.length === 0 ? [] : [{ kind, count: items.length, ids, items: found }];
  });
  return { groups, count: Math.min(rows.length, groupedMax), has_more: pending.length > groupedMax };
};

/** @throws {Problem} 404 unless it is pending */
export const getComparison: LibraryRule<{ id: string }, Comparison> = async (ctx, { id }, caller) => {
  const [row] = await ctx.data.pendingComparisons(caller.projects, { id }, 1);
  const [item] = row ? toItem(row, await loadAssets(ctx, [row])) : [];
  if (!row || !item) throw noAsset(id);
  const base = row.base === null ? null : await requireAsset(ctx, row.base, caller);
  return { item, base: base && toAsset(ctx, base) };
};

/** By id. One may have been deleted meanwhile. */
async function loadAssets(
  ctx: LibraryContext,
  rows: readonly ComparedAsset[],
): Promise<ReadonlyMap<string, Asset>> {
  const found = renderAssets(ctx, await ctx.data.assetsById(rows.map(({ id }) => id)));
  return new Map(found.map(({ text }) => JSON.parse(text) as Asset).map((asset) => [asset.id, asset]));
}

function toItem({ id, base, change }: ComparedAsset, assets: ReadonlyMap<string, Asset>): [] | [PendingItem] {
  const asset = assets.get(id);
  if (!asset) return [];
  const pixels = (change?.layers ?? []).reduce((sum, layer) => sum + layer.pixels, 0);
  return [{ asset, base, boxes: outlinesOf(change).slice(0, boxesMax), share: Math.min(1, pixels / 1e6) }];
}
