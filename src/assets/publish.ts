/** Publishing: the reviewed bytes, copied to the public store, under a permanent address. */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { AssetRow } from "../data.ts";
import { mimeOfName } from "../probe/bundle/extension.ts";
import { conflict, notImplemented, unavailable } from "../problem.ts";
import { assetKey, encodeKey, variantKey } from "../stores/keys.ts";
import { deleteUnder } from "../stores/objects.ts";
import type { Store } from "../stores/store.ts";
import { actorOf } from "./actor.ts";
import { requireAsset, toAsset } from "./library.ts";
import type { Asset } from "./schema.ts";
import { requireStore } from "./upload.ts";
import { assetEvent } from "./versions.ts";

export const mediaPath = "/media";

/** Answers the same again for what is published. What a rejection overtook is taken back. */
export async function publishAsset(ctx: Context, id: string, caller: Caller): Promise<Asset> {
  const { publicStore, data } = ctx;
  const store = requireStore(ctx);
  if (!publicStore) throw notImplemented("This deployment has no public store.");
  const asset = await requireAsset(ctx, id, caller);
  if (asset.status === "published") return toAsset(ctx, asset);
  requireApproved(asset);
  const publicKey =
    asset.bundle_index !== null && asset.mime === "application/zip"
      ? await copyBundle(store, publicStore, asset)
      : await copyFile(store, publicStore, asset);
  const row = await data.atomically(async (writes) => {
    const now = await writes.asset(null, id);
    if (!now || now.status === "published") return now ?? asset;
    if (now.status !== "approved") {
      // Inside of the transaction, so that nobody publishes what is being taken back.
      await deleteUnder(publicStore, `${asset.project}/${asset.id}/`);
      requireApproved(now);
    }
    const change = { status: "published" as const, public_url: publicUrl(ctx, publicStore, publicKey) };
    await writes.changeAsset(id, change);
    await writes.append([assetEvent("asset.published", now, actorOf(caller, undefined), `Published ${now.title}, version ${now.version}`)]);
    return { ...now, ...change };
  });
  return toAsset(ctx, row);
}

function requireApproved({ status, key }: AssetRow): void {
  if (status !== "approved") throw conflict(`Only an approved asset can be published; this one is ${status}.`);
  if (key === null) throw conflict("Its bytes are gone.");
}

/** @returns the public key */
async function copyFile(store: Store, publicStore: Store, asset: AssetRow): Promise<string> {
  const key = assetKey(asset.project, asset.id, (asset.key as string).split("/").at(-1) as string);
  const source = await store.get(asset.key as string);
  if (!source) throw unavailable("The bytes of this asset cannot be read.");
  const written = await publicStore.put(key, source.body, { type: asset.mime, maxBytes: asset.size, size: asset.size });
  if (written === "taken" || written.sha256 !== asset.sha256) {
    if (written !== "taken") await publicStore.delete(key);
    throw unavailable("The public copy is not what was reviewed; nothing was published.");
  }
  return key;
}

/** The files of a bundle, unpacked, so that its index opens at its address. */
async function copyBundle(store: Store, publicStore: Store, asset: AssetRow): Promise<string> {
  const prefix = variantKey(asset.id, "bundle/");
  for await (const { key, size } of store.list(prefix)) {
    const path = key.slice(prefix.length);
    const source = await store.get(key);
    if (!source) throw unavailable("A file of this bundle cannot be read.");
    await publicStore.put(`${asset.project}/${asset.id}/${path}`, source.body, { type: mimeOfName(path), maxBytes: size, size });
  }
  return `${asset.project}/${asset.id}/${asset.bundle_index}`;
}

function publicUrl({ config }: Context, { address }: Store, key: string): string {
  const base = config.publicBaseUrl || address || config.contentUrl + mediaPath;
  return `${base}/${encodeKey(key)}`;
}
