/**
 * The manifest of a bundle: its files with their hashes, as the reviewed zip contains them. What is viewed
 * and published is compared with it. The zip itself is known by the hash of the asset.
 */

import { SharedWork } from "../../../core/lib/shared-work.ts";
import { normalizeUnicode } from "../../../core/lib/strings/nfc.ts";
import { unavailable } from "../../../core/problem.ts";
import type { FileSource } from "../../../files/probe/port.ts";
import { requireKey } from "../../../files/stores/keys.ts";
import { hashObject, hashSource } from "../../../files/stores/objects.ts";
import type { Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { BundleAsset, ManifestFile } from "../../rows.ts";
import { storedFile } from "../files/stored-file.ts";

/** The prefix of the unpacked files in the private store. */
export const bundlePrefix = (id: string): string => `_variants/${id}/bundle/`;

/** The key of an unpacked file in the private store, whose page may name it in another normalization. */
export const bundleKey = (id: string, path: string): string =>
  requireKey(bundlePrefix(id) + normalizeUnicode(path));

/** Proxies end a request after 30 to 60 seconds without a response. */
const waitMs = 20_000;

/** Of this process, by asset. */
const manifests = new SharedWork<ManifestFile[]>(waitMs);

/**
 * Returns the manifest. A bundle that was uploaded before there were manifests gets its own from its zip;
 * null if that has been deleted.
 * @throws {Problem} 503 if the zip is lost or changed
 */
export async function loadManifest(ctx: LibraryContext, asset: BundleAsset): Promise<ManifestFile[] | null> {
  const stored = await ctx.data.bundleFiles(asset.id);
  if (stored.length > 0) return stored;
  const { store } = ctx;
  if (asset.key === null || !store) return null;
  const made = await manifests.run(asset.id, async () => {
    const files = await readManifest(ctx, store, asset);
    await ctx.data.atomically((writes) => writes.saveBundleFiles(asset.id, files));
    return files;
  });
  if (made === "running") throw unavailable("This bundle is still being checked. Try again in a moment.");
  return made;
}

/** One file of the manifest; null if the bundle has no such file, or no manifest can be made. */
export const findManifestFile = async (
  ctx: LibraryContext,
  asset: BundleAsset,
  path: string,
): Promise<ManifestFile | null> =>
  (await ctx.data.bundleFile(asset.id, path)) ??
  (await loadManifest(ctx, asset))?.find((file) => file.path === path) ??
  null;

/** Reads the zip, and stores nothing. @throws {Problem} 503 if it is not the reviewed one */
export async function readManifest(
  { probe }: Pick<LibraryContext, "probe">,
  store: Store,
  asset: BundleAsset,
): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  await probe.unbundle(await reviewedZip(store, asset), {
    async write({ path }, bytes) {
      files.push({ path, ...(await hashSource(bytes)) });
    },
    discard: async () => {},
  });
  return files;
}

/** The zip that was reviewed. @throws {Problem} 503 if it is lost or changed */
export async function reviewedZip(store: Store, { key, sha256, size }: BundleAsset): Promise<FileSource> {
  const stored = key === null ? null : await hashObject(store, key);
  if (key === null || stored?.sha256 !== sha256)
    throw unavailable(
      "Files of this bundle differ from what was reviewed, and cannot be restored: its zip " +
        `${stored ? "has changed" : "is gone"}. Restore it from a backup: svc doctor --deep names the files.`,
    );
  return storedFile(store, { key, size });
}
