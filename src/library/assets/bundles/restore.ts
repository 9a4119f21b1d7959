/** Restores files of a bundle that are lost or changed: from the reviewed zip, and published ones from those. */

import { mimeOfName } from "../../../core/lib/mime-of-name.ts";
import { SharedWork } from "../../../core/lib/shared-work.ts";
import { unavailable } from "../../../core/problem.ts";
import type { Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { BundleAsset, ManifestFile } from "../../rows.ts";
import { contentTypeOf, servingHeaders } from "../files/response-headers.ts";
import { integrityOf } from "./integrity.ts";
import { bundleKey, reviewedZip } from "./manifest.ts";

export interface Stores {
  store: Store;
  publicStore: Store;
}

/** Of this process, by asset: a page may request many files of a bundle together. */
const restorations = new SharedWork<void>(20_000);

/** Stores every file again that differs from the reviewed zip. @throws {Problem} 503 if the zip does too */
export async function restoreBundle(ctx: LibraryContext, store: Store, asset: BundleAsset): Promise<void> {
  const restored = await restorations.run(asset.id, async () => {
    const known = new Map((await ctx.data.bundleFiles(asset.id)).map((file) => [file.path, file]));
    const files: ManifestFile[] = [];
    await ctx.probe.unbundle(await reviewedZip(store, asset), {
      async write({ path, size, mime }, bytes) {
        const key = bundleKey(asset.id, path);
        const file = known.get(path);
        if (file && (await integrityOf(ctx, store, key, file)) === "intact") return void files.push(file);
        await store.delete(key);
        const written = await store.put(key, bytes, { type: mime, maxBytes: size, size });
        if (written === "exists") throw unavailable("Another process is restoring this bundle. Try again.");
        files.push({ path, ...written });
      },
      discard: async () => {},
    });
    // The page of an image sequence is not in the zip: another version of svc may write a different one.
    await ctx.data.atomically((writes) => writes.saveBundleFiles(asset.id, files));
    ctx.log("warn", "files of a bundle differed from its zip and were restored", { asset: asset.id });
  });
  if (restored === "running")
    throw unavailable("This bundle is still being restored. Try again in a moment.");
}

/** Restores the bundle unless this file of it is intact. */
export async function requireIntact(
  ctx: LibraryContext,
  store: Store,
  asset: BundleAsset,
  file: ManifestFile,
): Promise<void> {
  const integrity = await integrityOf(ctx, store, bundleKey(asset.id, file.path), file);
  if (integrity !== "intact") await restoreBundle(ctx, store, asset);
}

export const publicKeyOf = ({ project, id }: BundleAsset, path: string): string => `${project}/${id}/${path}`;

/** Copies a file of a bundle to the public store, unless it is there, and compares the copy's hash. */
export async function publishFile(
  ctx: LibraryContext,
  { store, publicStore }: Stores,
  asset: BundleAsset,
  file: ManifestFile,
): Promise<void> {
  const key = publicKeyOf(asset, file.path);
  const found = await integrityOf(ctx, publicStore, key, file);
  if (found === "intact") return;
  if (found === "changed") await publicStore.delete(key);
  await requireIntact(ctx, store, asset, file);
  const privateKey = bundleKey(asset.id, file.path);
  const type = await contentTypeOf(store, { key: privateKey, type: mimeOfName(file.path), size: file.size });
  const source = await store.get(privateKey);
  if (!source) throw unavailable("A file of this bundle cannot be read from the store. Try again later.");
  const written = await publicStore.put(key, source.body, {
    type,
    maxBytes: source.size,
    size: source.size,
    serving: servingHeaders(type, file.path.split("/").at(-1) as string, true),
  });
  if (written !== "exists" && written.sha256 === file.sha256) return;
  if (written !== "exists") await publicStore.delete(key);
  throw unavailable("The public copy does not match the reviewed file, so nothing was published.");
}
