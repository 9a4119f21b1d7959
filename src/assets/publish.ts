/** Publishing: the reviewed bytes, copied to the public store, under a permanent address. */

import { actorOf } from "../auth/actor.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { isolateBidi } from "../lib/display-text.ts";
import { mimeOfName } from "../probe/bundle/extension.ts";
import { isBundle } from "../probe/kind.ts";
import { conflict, notImplemented, unavailable } from "../problem.ts";
import type { AssetRow } from "../rows.ts";
import { assetKey, encodeKey } from "../stores/keys.ts";
import { deleteUnder } from "../stores/objects.ts";
import type { Store } from "../stores/store.ts";
import { bundleFolder } from "./derivatives.ts";
import { requireAsset, toAsset } from "./library.ts";
import { servingOf } from "./response-headers.ts";
import { type Asset, mediaPath } from "./schema.ts";
import { requireStore } from "./upload.ts";
import { assetEvent } from "./versions.ts";

/** Answers the same again for what is published. What a rejection overtook is taken back. */
export async function publishAsset(ctx: Context, id: string, caller: Caller): Promise<Asset> {
  const { publicStore, data } = ctx;
  const store = requireStore(ctx);
  if (!publicStore) throw notImplemented("This deployment has no public store.");
  const asset = await requireAsset(ctx, id, caller);
  if (asset.status === "published") return toAsset(ctx, asset);
  requireApproved(asset);
  const publicKey = await copyOut(store, publicStore, asset).catch(async (error) => {
    // Whoever rejects meanwhile takes the copy away from under us: that is what happened then, and no fault
    // of the store.
    const now = (await data.asset(null, id)) ?? asset;
    if (now.status !== "published") requireApproved(now);
    throw error;
  });
  const row = await data.atomically(async (writes) => {
    const now = (await writes.asset(null, id)) ?? asset;
    if (now.status !== "approved") return now;
    const change = { status: "published" as const, public_url: publicUrl(ctx, publicStore, publicKey) };
    await writes.changeAsset(id, change);
    await writes.append([
      assetEvent(
        "asset.published",
        now,
        actorOf(caller, undefined),
        `Published ${isolateBidi(now.title)}, version ${now.version}`,
      ),
    ]);
    return { ...now, ...change };
  });
  if (row.public_url === null) await takeBack(ctx, publicStore, asset).catch(() => {}); // what stays is swept
  if (row.status !== "published") requireApproved(row);
  await mend(store, publicStore, row, publicKey);
  return toAsset(ctx, row);
}

/**
 * Removes the copy that an unfinished publication left. One that was finished meanwhile gets its bytes back.
 */
export async function takeBack(
  ctx: Context,
  publicStore: Store,
  { project, id }: Pick<AssetRow, "project" | "id">,
): Promise<void> {
  await deleteUnder(publicStore, `${project}/${id}/`);
  const now = await ctx.data.asset(null, id);
  if (ctx.store && now?.public_url && now.key) await copyOut(ctx.store, publicStore, now);
}

/**
 * Somebody may have taken the copy back just before it was published; whoever does so later looks again by
 * himself.
 */
async function mend(store: Store, publicStore: Store, asset: AssetRow, publicKey: string): Promise<void> {
  if (!(await publicStore.stat(publicKey))) await copyOut(store, publicStore, asset);
}

function requireApproved({ status, key }: AssetRow): void {
  if (status !== "approved")
    throw conflict(`Only an approved asset can be published; this one is ${status}.`);
  if (key === null) throw conflict("Its bytes are gone.");
}

/** @returns the public key */
const copyOut = (store: Store, publicStore: Store, asset: AssetRow): Promise<string> =>
  isBundle(asset) ? copyBundle(store, publicStore, asset) : copyFile(store, publicStore, asset);

async function copyFile(store: Store, publicStore: Store, asset: AssetRow): Promise<string> {
  const key = assetKey(asset.project, asset.id, (asset.key as string).split("/").at(-1) as string);
  const source = await store.get(asset.key as string);
  if (!source) throw unavailable("The bytes of this asset cannot be read.");
  const written = await publicStore.put(key, source.body, {
    ...{ type: asset.mime, maxBytes: asset.size, size: asset.size },
    serving: servingOf(asset.mime, key, asset.kind === "html"),
  });
  if (written !== "taken" && written.sha256 === asset.sha256) return key;
  if (written !== "taken") await publicStore.delete(key);
  throw notReviewed();
}

/** The files of a bundle, unpacked, so that its index opens at its address. */
async function copyBundle(store: Store, publicStore: Store, asset: AssetRow): Promise<string> {
  const prefix = `_variants/${asset.id}/${bundleFolder}`;
  const index = `${asset.project}/${asset.id}/${asset.bundle_index}`;
  let hasIndex = false;
  for await (const { key, size } of store.list(prefix)) {
    const path = key.slice(prefix.length);
    const publicKey = `${asset.project}/${asset.id}/${path}`;
    const source = await store.get(key);
    if (!source) throw unavailable("A file of this bundle cannot be read.");
    const type = mimeOfName(path);
    const serving = servingOf(type, publicKey, true);
    const written = await publicStore.put(publicKey, source.body, { type, maxBytes: size, size, serving });
    if (written === "taken") throw notReviewed();
    hasIndex ||= publicKey === index;
  }
  if (!hasIndex) throw unavailable("The page of this bundle cannot be read.");
  return index;
}

const notReviewed = () => unavailable("The public copy is not what was reviewed; nothing was published.");

/** As the row keeps it: a path, where this server serves it; its own URL may change. */
function publicUrl({ config }: Context, { address }: Store, key: string): string {
  return `${config.publicBaseUrl || address || mediaPath}/${encodeKey(key)}`;
}
