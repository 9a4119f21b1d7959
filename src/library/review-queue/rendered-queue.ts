/** Review queues as JSON. */

import { setPageUrl } from "../../memory/set-ref.ts";
import { renderAssets } from "../assets/library.ts";
import type { LibraryContext } from "../context.ts";
import type { PendingSetRow, RenderedAsset } from "../rows.ts";
import type { ProjectQueue } from "./review-queue.ts";

/** Each queue with its oldest items, separated by commas. */
export async function renderQueues(ctx: LibraryContext, queues: readonly ProjectQueue[]): Promise<string> {
  const items = queues.flatMap(({ oldest }) => oldest);
  const variants = items.flatMap(({ set }) => set?.listed.map(({ id }) => id) ?? []);
  const found = await ctx.data.assetsById([...new Set([...items.map(({ id }) => id), ...variants])]);
  const assets = new Map(found.map((asset) => [asset.id, asset]));
  return queues
    .map(({ project, count, repeats, oldest }) => {
      const sets = oldest.flatMap(({ set }) => set ?? []).map((set) => renderSet(ctx, set, assets));
      return (
        `{"project":"${project}","count":${count},"repeats":${repeats},` +
        `"oldest":[${render(ctx, oldest, assets)}],"sets":[${sets}]}`
      );
    })
    .join();
}

type Assets = ReadonlyMap<string, RenderedAsset>;

const render = (ctx: LibraryContext, of: readonly { id: string }[], assets: Assets): string[] =>
  renderAssets(
    ctx,
    of.flatMap(({ id }) => assets.get(id) ?? []),
  );

function renderSet(
  ctx: LibraryContext,
  { project, set, count, listed }: PendingSetRow,
  assets: Assets,
): string {
  const url = setPageUrl(ctx.config, project, set);
  return `${JSON.stringify({ set, count, url }).slice(0, -1)},"variants":[${render(ctx, listed, assets)}]}`;
}
