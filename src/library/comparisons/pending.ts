/** Pending assets in groups, and one of them beside the version that was approved. */
import type { Caller } from "../../core/auth/caller.ts";
import { noAsset } from "../../core/problem.ts";
import { boxesMax } from "../../files/probe/likeness/schema.ts";
import { renderAssets, requireAsset, toAsset } from "../assets/library.ts";
import type { Asset } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";

import { groupCompared, outlinesOf } from "./group.ts";
import type { ComparedAsset } from "./rows.ts";
import type { Comparison, PendingGroups, PendingGroupsQuery, PendingItem } from "./schema.ts";

/** More are not decided in one sitting: the page is opened again. */
const shownMax = 500;

export async function listPendingGroups(
  ctx: LibraryContext,
  { run, ...filter }: PendingGroupsQuery,
  caller: Caller,
): Promise<PendingGroups> {
  const query = { ...filter, ...(run !== undefined && { run_id: run }) };
  const rows = await ctx.data.pendingComparisons(caller.projects, query, shownMax + 1);
  const shown = rows.slice(0, shownMax);
  const assets = renderedAssets(ctx, shown);
  const compared = shown.map((row, at) => {
    const asset = assets[at] as Asset;
    return { ...row, asset, title: asset.title };
  });
  const groups = groupCompared(compared).map(({ kind, items }) => ({ kind, items: items.map(toItem) }));
  return { groups, count: shown.length, has_more: rows.length > shownMax };
}

/** @throws {Problem} 404 unless it is pending */
export async function getComparison(
  ctx: LibraryContext,
  { id }: { id: string },
  caller: Caller,
): Promise<Comparison> {
  const [row] = await ctx.data.pendingComparisons(caller.projects, { id }, 1);
  if (!row) throw noAsset(id);
  const [asset] = renderedAssets(ctx, [row]);
  const base = row.base === null ? null : await requireAsset(ctx, row.base, caller);
  return { item: toItem({ ...row, asset: asset as Asset }), base: base && toAsset(ctx, base) };
}

const renderedAssets = (ctx: LibraryContext, rows: readonly ComparedAsset[]): Asset[] =>
  renderAssets(ctx, rows).map(({ text }) => JSON.parse(text));

const toItem = ({ asset, base, change }: Omit<ComparedAsset, "title"> & { asset: Asset }): PendingItem => ({
  asset,
  base,
  boxes: outlinesOf(change).slice(0, boxesMax),
  share: Math.min(1, (change?.layers ?? []).reduce((sum, { pixels }) => sum + pixels, 0) / 1e6),
});
