/** Storage cleanup: files past their retention, uploads never finalized, and orphaned files. */
import { serviceAction } from "../../../core/audit/action.ts";
import { type Micros, secondMicros } from "../../../core/lib/time.ts";
import type { NewAudit } from "../../../core/rows.ts";
import { pendingKey, segmentPrefix } from "../../../files/stores/keys.ts";
import { deletePrefix } from "../../../files/stores/objects.ts";
import type { OwnedStore, Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import { deleteAssetFiles } from "../files/derivatives.ts";
import { resumableGraceMicros } from "../upload/upload-url.ts";
import { deleteOrphans } from "./orphan-cleanup.ts";

const batchSize = 100;
/** Minimum age of a file without a row before it is deleted: its row may not be committed yet. */
const graceMicros = 3_600 * secondMicros;

export interface CleanupCounts {
  expired: number;
  uploads: number;
  orphans: number;
}

/**
 * Cleans up the stores that belong to this deployment.
 * @param grace minimum age of an orphaned file, in microseconds
 */
export async function cleanUpAssets(
  ctx: LibraryContext,
  grace: Micros = graceMicros,
): Promise<CleanupCounts> {
  const stores = { store: await ifOwned(ctx.store), publicStore: await ifOwned(ctx.publicStore) };
  const { store } = stores;
  const expired = store ? await deleteExpiredFiles(ctx, store) : 0;
  const uploads = store ? await deleteExpiredUploads(ctx, store) : 0;
  const orphans = await deleteOrphans(ctx, stores, ctx.now() - grace);
  if (orphans > 0)
    await ctx.data.atomically((writes) =>
      writes.addAudit({ ...cleanupAudit(ctx, "sweep orphans"), count: orphans }),
    );
  return { expired, uploads, orphans };
}

/** Checked on each cleanup: another deployment may have taken over the store. */
const ifOwned = async (store: OwnedStore | null): Promise<OwnedStore | null> =>
  (await store?.owner()) === "this" ? store : null;

/** Audit row of a cleanup: one per deleted asset or upload, and one with the count of orphans. */
const cleanupAudit = (
  { now }: LibraryContext,
  what: string,
  project: string | null = null,
  target: string | null = null,
): NewAudit => ({
  ...serviceAction(what, project, target),
  at: now(),
  status: 200,
});

/**
 * Updates the row first, so that it never promises a deleted file. If the process dies in between, orphan
 * cleanup deletes the file.
 */
async function deleteExpiredFiles(ctx: LibraryContext, store: Store): Promise<number> {
  for (let count = 0; ; ) {
    const rows = await ctx.data.expiredAssets(ctx.now(), batchSize);
    for (const { id, project } of rows) {
      const isDeleted = await ctx.data.atomically(async (writes) => {
        const current = await writes.asset(null, id);
        // approved meanwhile
        if (!current?.key || current.expires_at === null || current.expires_at > ctx.now()) return false;
        await writes.changeAsset(id, { key: null, has_thumb: false, bundle_index: null });
        if (current.public_url === null) await writes.saveBundleFiles(id, []);
        await writes.addAudit(cleanupAudit(ctx, "sweep asset", project, id));
        return true;
      });
      if (isDeleted) await deleteAssetFiles(store, project, id);
      count += Number(isDeleted);
    }
    if (rows.length < batchSize) return count;
  }
}

/** Deletes uploads that were not finalized within a day after they expired. */
async function deleteExpiredUploads(ctx: LibraryContext, store: Store): Promise<number> {
  for (let count = 0; ; ) {
    const rows = await ctx.data.expiredUploads(ctx.now() - resumableGraceMicros, batchSize);
    for (const { id, project, key, multipart_id } of rows) {
      await ctx.data.atomically(async (writes) => {
        await writes.removeUpload(id);
        await writes.addAudit(cleanupAudit(ctx, "sweep upload", project, id));
      });
      if (multipart_id) await store.parts?.abort(key, multipart_id);
      await store.delete(pendingKey(id));
      await deletePrefix(store, segmentPrefix(id));
      if (!(await ctx.data.asset(null, id))) await deleteAssetFiles(store, project, id);
    }
    count += rows.length;
    if (rows.length < batchSize) return count;
  }
}
