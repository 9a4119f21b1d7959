/** Takes back an asset: unpublishes it, or deletes its files and leaves a tombstone. */
import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { conflict, noAsset } from "../../core/problem.ts";
import { getAsset, requireAsset, toAsset } from "../assets/library.ts";
import { publicUrlOf } from "../assets/rendered-asset.ts";
import type { AssetDetail } from "../assets/schema.ts";
import { assetEvent } from "../assets/versions.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { tryToFinish } from "./finish.ts";
import { toRemoval } from "./rendered-removal.ts";
import type { RemovalRow } from "./rows.ts";
import type { DeleteFilesInput, RemovalPreview, UnpublishInput } from "./schema.ts";
import { changeOf } from "./withdrawn.ts";

const listedMax = 20;
const sharesMax = 200;

/** What deleting the files would take away. @throws 404 */
export const previewRemoval: LibraryRule<string, RemovalPreview> = async (ctx, id, caller) => {
  const asset = await requireAsset(ctx, id, caller);
  const [chain, shares, same, removals] = await Promise.all([
    ctx.data.versions(asset.root_id),
    ctx.data.shares(caller.projects, { of: asset.root_id, limit: sharesMax }),
    ctx.data.assets(caller.projects, { sha256: asset.sha256, limit: listedMax }),
    ctx.data.removals([id]),
  ]);
  const own = new Set(chain.map((version) => version.id));
  return {
    title: asset.title,
    removals: removals.map(toRemoval),
    versions: chain.map((row) => ({
      id: row.id,
      version: row.version,
      size: row.size,
      has_file: row.key !== null,
      url: toAsset(ctx, row).url,
      public_url: publicUrlOf(ctx, row.public_url),
    })),
    shares: shares.filter(({ revoked_at, expires_at }) => revoked_at === null && expires_at > ctx.now())
      .length,
    same_file: same.filter(({ id, key }) => key !== null && !own.has(id)).map(({ id }) => id),
  };
};

/** Deletes the public copy of an asset; idempotent. @throws 409 unless it is or was published */
export const unpublishAsset: LibraryRule<UnpublishInput, AssetDetail> = async (
  ctx,
  { id, reason },
  caller,
) => {
  const removed_by = actorOf(caller, undefined);
  await ctx.data.atomically(async (writes) => {
    const asset = await writes.asset(caller.projects, id);
    if (!asset) throw noAsset(id);
    if (asset.public_url === null) {
      if ((await writes.removals([id])).some(({ kind }) => kind === "publication")) return asset;
      throw conflict(`Only a published asset can be unpublished. This one is ${asset.status}.`);
    }
    const removal = { kind: "publication", removed_by, reason, removed_at: ctx.now() } as const;
    await addRemoval(ctx, writes, asset, removal);
    await writes.changeAsset(id, changeOf(asset, removal));
    return asset;
  });
  return finished(ctx, [id], caller);
};

/**
 * Deletes the files of an asset, also published ones; idempotent. Its row keeps the hash, the reviews, and
 * the removal.
 */
export const deleteAssetFiles: LibraryRule<DeleteFilesInput, AssetDetail> = async (
  ctx,
  { id, reason, all_versions = false },
  caller,
) => {
  const removed_by = actorOf(caller, undefined);
  const { ids } = await ctx.data.atomically(async (writes) => {
    const asset = await writes.asset(caller.projects, id);
    if (!asset) throw noAsset(id);
    const removal = { removed_by, reason, removed_at: ctx.now() };
    const removed = all_versions ? await writes.versions(asset.root_id) : [asset];
    for (const one of removed) {
      if (one.public_url !== null) await addRemoval(ctx, writes, one, { ...removal, kind: "publication" });
      const known = await writes.removals([one.id]);
      if (known.some(({ kind }) => kind === "file")) continue;
      await addRemoval(ctx, writes, one, { ...removal, kind: "file" });
      await writes.changeAsset(one.id, changeOf(one, { ...removal, kind: "file" }));
      await writes.saveBundleFiles(one.id, []);
      await writes.removeProvenance(one.id);
      await writes.removeReviewRequest(one.id);
      await writes.setVerdictsOpen(one.id, false);
    }
    return { id, project: asset.project, ids: removed.map((one) => one.id) };
  });
  return finished(ctx, ids, caller, id);
};

const events = { publication: "asset.unpublished", file: "asset.deleted" } as const;
const verbs = { publication: "Unpublished", file: "Deleted the files of" };

async function addRemoval(
  ctx: LibraryContext,
  writes: LibraryWrites,
  asset: AssetRow,
  removal: Pick<RemovalRow, "removed_by" | "removed_at" | "reason"> & { kind: keyof typeof verbs },
): Promise<void> {
  const { kind, removed_by } = removal;
  const { id: subject, project, title, version } = asset;
  await writes.dropRemoval(kind, subject);
  await writes.addRemoval({ ...removal, subject, project, detail: null });
  const summary = `${verbs[kind]} ${isolateBidi(title)}, version ${version}`;
  await writes.append([assetEvent(ctx.config, events[kind], asset, removed_by, summary)]);
}

/** Deletes the files now; if the store fails, a server does later. */
async function finished(
  ctx: LibraryContext,
  ids: string[],
  caller: Caller,
  id = ids[0] as string,
): Promise<AssetDetail> {
  for (const row of await ctx.data.removals(ids)) if (row.finished_at === null) await tryToFinish(ctx, row);
  return getAsset(ctx, id, caller);
}
