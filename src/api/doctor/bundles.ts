/** Compares the files of bundles with their manifests, and restores them. */

import { Problem } from "../../core/problem.ts";
import { isBundle } from "../../files/probe/kind.ts";
import type { ObjectInfo, Store } from "../../files/stores/store.ts";
import { repairBundle } from "../../library/assets/bundles/maintenance.ts";
import { readManifest } from "../../library/assets/bundles/manifest.ts";
import type { AssetRow, ManifestFile, RenderedAsset } from "../../library/rows.ts";
import type { Context } from "../context.ts";

/**
 * The manifest of a bundle. Of one that is older than manifests, a deep check reads it from the zip; null if
 * nothing is known.
 */
export async function manifestOf(
  ctx: Pick<Context, "data" | "probe" | "store">,
  asset: AssetRow,
  deep: boolean,
): Promise<ManifestFile[] | null> {
  const files = await ctx.data.bundleFiles(asset.id);
  if (files.length > 0 || !deep || asset.key === null || !ctx.store) return files.length > 0 ? files : null;
  return readManifest(ctx, ctx.store, asset).catch((error) => {
    if (error instanceof Problem) return null; // its zip is reported by itself
    throw error;
  });
}

/** The files below `prefix` that are lost or changed, and those that the bundle does not have. */
export async function compareFiles(
  store: Store,
  prefix: string,
  objects: ReadonlyMap<string, ObjectInfo>,
  files: readonly ManifestFile[],
  isChanged: (key: string, sha256: string) => Promise<boolean>,
): Promise<{ damaged: string[]; unknown: string[] }> {
  const expected = new Set(files.map(({ path }) => prefix + path));
  const unknown = [...objects.keys()].filter((key) => key.startsWith(prefix) && !expected.has(key));
  const damaged: string[] = [];
  for (const { path, size, sha256 } of files) {
    const key = prefix + path;
    const info = objects.get(key) ?? (await store.stat(key));
    if (info?.size !== size || (await isChanged(key, sha256))) damaged.push(key);
  }
  return { damaged, unknown };
}

/** @returns how many bundles had lost or changed files that were restored */
export async function repairBundles(ctx: Context): Promise<number> {
  let count = 0;
  for await (const asset of listAssets(ctx))
    if (isBundle(asset)) count += Number(await repairBundle(ctx, asset).catch(() => false)); // checked next
  return count;
}

/** All assets of a deployment, as the checks of its files read them. */
const pageLength = 200;

export async function* listAssets({ data }: Pick<Context, "data">): AsyncGenerator<AssetRow> {
  for (let after: RenderedAsset | undefined; ; ) {
    const page = await data.assets(null, { limit: pageLength, ...(after && { after }) });
    for (const row of await Promise.all(page.map(({ id }) => data.asset(null, id)))) if (row) yield row;
    after = page.at(-1);
    if (page.length < pageLength) return;
  }
}
