/** Publishing: copies the approved file to the public store, under a permanent URL. */

import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { conflict, notImplemented, unavailable } from "../../core/problem.ts";
import { isBundle } from "../../files/probe/kind.ts";
import { assetKey, encodeKey } from "../../files/stores/keys.ts";
import { deletePrefix } from "../../files/stores/objects.ts";
import type { Store } from "../../files/stores/store.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import { loadManifest } from "./bundles/manifest.ts";
import { publicKeyOf, publishFile, type Stores } from "./bundles/restore.ts";
import { contentTypeOf, fileNameOf, servingHeaders } from "./files/response-headers.ts";
import { requireAsset, toAsset } from "./library.ts";
import { type Asset, mediaPath } from "./schema.ts";
import { requireStore } from "./upload/reservation.ts";
import { assetEvent } from "./versions.ts";

/**
 * Publishes an approved asset; idempotent. If a rejection wins the race, the public copy is deleted again.
 */
export async function publishAsset(ctx: LibraryContext, id: string, caller: Caller): Promise<Asset> {
  const { publicStore, data } = ctx;
  const store = requireStore(ctx);
  if (!publicStore) throw notImplemented("This deployment has no public store, so nothing can be published.");
  const asset = await requireAsset(ctx, id, caller);
  if (asset.status === "published") return toAsset(ctx, asset);
  requireApproved(asset);
  const stores = { store, publicStore };
  const publicKey = await copyToPublicStore(ctx, stores, asset).catch(async (error) => {
    // A concurrent rejection deletes the copy while it is written: report that conflict, not a store failure.
    const current = (await data.asset(null, id)) ?? asset;
    if (current.status !== "published") requireApproved(current);
    throw error;
  });
  const row = await data.atomically(async (writes) => {
    const current = (await writes.asset(null, id)) ?? asset;
    if (current.status !== "approved") return current;
    const change = { status: "published" as const, public_url: publicUrl(ctx, publicStore, publicKey) };
    await writes.changeAsset(id, change);
    await writes.dropRemoval("publication", id);
    await writes.append([
      assetEvent(
        ctx.config,
        "asset.published",
        current,
        actorOf(caller, undefined),
        `Published ${isolateBidi(current.title)}, version ${current.version}`,
      ),
    ]);
    return { ...current, ...change };
  });
  // cleanup deletes it later
  if (row.public_url === null) await deletePublicCopy(ctx, publicStore, asset).catch(() => {});
  if (row.status !== "published") requireApproved(row);
  await repairPublicCopy(ctx, stores, row, publicKey);
  return toAsset(ctx, row);
}

/**
 * Deletes the public copy of an asset that is not published. If it was published concurrently, copies it
 * again.
 */
export async function deletePublicCopy(
  ctx: LibraryContext,
  publicStore: Store,
  { project, id }: Pick<AssetRow, "project" | "id">,
): Promise<void> {
  await deletePrefix(publicStore, `${project}/${id}/`);
  const current = await ctx.data.asset(null, id);
  if (ctx.store && current?.public_url && current.key)
    await copyToPublicStore(ctx, { store: ctx.store, publicStore }, current);
}

/**
 * Copies again if a concurrent `deletePublicCopy` came just before the commit. A later `deletePublicCopy`
 * checks for itself.
 */
async function repairPublicCopy(
  ctx: LibraryContext,
  stores: Stores,
  asset: AssetRow,
  publicKey: string,
): Promise<void> {
  if (!(await stores.publicStore.stat(publicKey))) await copyToPublicStore(ctx, stores, asset);
}

function requireApproved({ status, key }: AssetRow): void {
  if (status !== "approved")
    throw conflict(`Only an approved asset can be published. This one is ${status}.`);
  if (key === null) throw conflict("The file of this asset has been deleted.");
}

/** @returns the public key */
const copyToPublicStore = (ctx: LibraryContext, stores: Stores, asset: AssetRow): Promise<string> =>
  isBundle(asset) ? copyBundle(ctx, stores, asset) : copyFile(stores, asset);

async function copyFile({ store, publicStore }: Stores, asset: AssetRow): Promise<string> {
  const key = assetKey(asset.project, asset.id, (asset.key as string).split("/").at(-1) as string);
  const { mime, size } = asset;
  const type = await contentTypeOf(store, { key: asset.key as string, type: mime, size });
  const source = await store.get(asset.key as string);
  if (!source) throw unavailable("The file of this asset cannot be read from the store. Try again later.");
  const written = await publicStore.put(key, source.body, {
    type,
    maxBytes: asset.size,
    size: asset.size,
    serving: servingHeaders(mime, fileNameOf({ ...asset, key }), asset.kind === "html"),
  });
  if (written !== "exists" && written.sha256 === asset.sha256) return key;
  if (written !== "exists") await publicStore.delete(key);
  throw copyMismatch();
}

/**
 * Copies the files of the reviewed bundle, and nothing else that the store may have beside them, so that its
 * index page opens at the public URL.
 */
async function copyBundle(ctx: LibraryContext, stores: Stores, asset: AssetRow): Promise<string> {
  const files = await loadManifest(ctx, asset);
  const index = files?.find(({ path }) => path === asset.bundle_index);
  if (!files || !index) throw unavailable("The index page of this bundle is missing from its zip.");
  for (const file of files) await publishFile(ctx, stores, asset, file);
  return publicKeyOf(asset, index.path);
}

const copyMismatch = () =>
  unavailable("The public copy does not match the reviewed file, so nothing was published.");

/** Returns the URL as stored: a path if this server serves it, since the server's own URL may change. */
function publicUrl({ config }: LibraryContext, { baseUrl: address }: Store, key: string): string {
  return `${config.publicBaseUrl || address || mediaPath}/${encodeKey(key)}`;
}
