/** What is done for all bundles: manifests of older ones, and the restoration by `svc doctor --deep --fix`. */

import { Cache } from "../../../core/lib/cache.ts";
import type { Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { BundleAsset, ManifestFile } from "../../rows.ts";
import { integrityOf } from "./integrity.ts";
import { bundleKey, loadManifest } from "./manifest.ts";
import { publicKeyOf, publishFile, restoreBundle } from "./restore.ts";

const batchSize = 20;

/** Bundles without a readable zip, which are not tried again for a day. */
const failures = new Cache<string, true>({ max: 1_000, maxAgeMs: 86_400_000 });

/**
 * Makes the manifests of bundles that were uploaded before there were manifests, so that the hash of a file
 * finds its bundle.
 */
export async function makeManifests(ctx: LibraryContext, isRunning: () => boolean): Promise<void> {
  for (let after = ""; isRunning(); ) {
    const bundles = await ctx.data.bundlesWithoutManifest(after, batchSize);
    for (const bundle of bundles.filter(({ id }) => !failures.get(id)))
      if (isRunning())
        await loadManifest(ctx, bundle).catch(({ message }: Error) => {
          failures.set(bundle.id, true);
          ctx.log("warn", "a bundle has no manifest", { asset: bundle.id, error: message });
        });
    if (bundles.length < batchSize) return;
    after = (bundles.at(-1) as BundleAsset).id;
  }
}

/**
 * Restores the files of a bundle that are lost or changed, private and published.
 * @returns whether there were any
 * @throws {Problem} 503 if its zip is lost or changed too
 */
export async function repairBundle(
  ctx: LibraryContext,
  bundle: BundleAsset & { public_url: string | null },
): Promise<boolean> {
  const { store, publicStore } = ctx;
  const files = store && (await loadManifest(ctx, bundle));
  if (!files) return false;
  const differs = async (place: Store, key: string, file: ManifestFile) =>
    (await integrityOf(ctx, place, key, file)) !== "intact";
  let isRepaired = false;
  for (const file of bundle.key === null ? [] : files)
    if (await differs(store, bundleKey(bundle.id, file.path), file)) {
      await restoreBundle(ctx, store, bundle);
      isRepaired = true;
      break;
    }
  if (!publicStore || bundle.public_url === null) return isRepaired;
  for (const file of files)
    if (await differs(publicStore, publicKeyOf(bundle, file.path), file)) {
      await publishFile(ctx, { store, publicStore }, bundle, file);
      isRepaired = true;
    }
  return isRepaired;
}
