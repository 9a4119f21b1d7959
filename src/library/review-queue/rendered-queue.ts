/** Review queues as JSON. */

import { type Json, jsonObject } from "../../core/rendered-json.ts";
import { setPageUrl } from "../../memory/set-ref.ts";
import { renderAssets } from "../assets/library.ts";
import type { Asset } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { PendingSetRow, RenderedAsset } from "../rows.ts";
import type { PendingSet } from "../variant-sets/schema.ts";
import type { ProjectQueue } from "./review-queue.ts";

/** Each queue with its oldest items. */
export async function renderQueues(ctx: LibraryContext, queues: readonly ProjectQueue[]) {
  const items = queues.flatMap(({ oldest }) => oldest);
  const variants = items.flatMap(({ set }) => set?.listed.map(({ id }) => id) ?? []);
  const found = await ctx.data.assetsById([...new Set([...items.map(({ id }) => id), ...variants])]);
  const assets = new Map(found.map((asset) => [asset.id, asset]));
  return queues.map(({ project, count, repeats, oldest }) =>
    jsonObject<RenderedQueue>({
      project,
      count,
      repeats,
      oldest: render(ctx, oldest, assets),
      sets: oldest.flatMap(({ set }) => (set ? [renderSet(ctx, set, assets)] : [])),
    }),
  );
}

interface RenderedQueue extends Pick<ProjectQueue, "project" | "count" | "repeats"> {
  oldest: Asset[];
  sets: PendingSet[];
}

type Assets = ReadonlyMap<string, RenderedAsset>;

const render = (ctx: LibraryContext, of: readonly { id: string }[], assets: Assets): Json<Asset>[] =>
  renderAssets(
    ctx,
    of.flatMap(({ id }) => assets.get(id) ?? []),
  );

const renderSet = (
  ctx: LibraryContext,
  { project, set, count, listed }: PendingSetRow,
  assets: Assets,
): Json<PendingSet> =>
  jsonObject<PendingSet>({
    set,
    count,
    url: setPageUrl(ctx.config, project, set),
    variants: render(ctx, listed, assets),
  });
