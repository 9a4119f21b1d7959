/** The sweep: bytes whose time is over, uploads that nobody finalized, and what else no row answers for. */
import { actOfService } from "../audit/action.ts";
import type { Context } from "../context.ts";
import { dayMicros, type Micros, secondMicros } from "../lib/time.ts";
import type { NewAudit } from "../rows.ts";
import { pendingKey } from "../stores/keys.ts";
import type { OwnedStore, Store } from "../stores/store.ts";
import { deleteAssetFiles } from "./derivatives.ts";
import { deleteOrphans } from "./orphan-cleanup.ts";

const batchSize = 100;
/** Bytes without a row are left alone for so long: their row may be on its way. */
const graceMicros = 3_600 * secondMicros;

export interface CleanupCounts {
  expired: number;
  uploads: number;
  orphans: number;
}

/**
 * Sweeps the stores that belong to this deployment. @param grace how old bytes without a row must be, in
 * microseconds
 */
export async function cleanUpAssets(ctx: Context, grace: Micros = graceMicros): Promise<CleanupCounts> {
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

/** Asked at each sweep: another deployment may have taken the store over since. */
const ifOwned = async (store: OwnedStore | null): Promise<OwnedStore | null> =>
  (await store?.owner()) === "this" ? store : null;

/** Of bytes that go there is a row each; of those that no row knew, their number. */
const cleanupAudit = (
  { now }: Context,
  what: string,
  project: string | null = null,
  target: string | null = null,
): NewAudit => ({
  ...actOfService(what, project, target),
  ...{ at: now(), status: 200 },
});

/**
 * The row first: from then on it promises no bytes, and a sweep that dies here is finished as one of orphans.
 */
async function deleteExpiredFiles(ctx: Context, store: Store): Promise<number> {
  for (let count = 0; ; ) {
    const rows = await ctx.data.expiredAssets(ctx.now(), batchSize);
    for (const { id, project } of rows) {
      const isDeleted = await ctx.data.atomically(async (writes) => {
        const current = await writes.asset(null, id);
        // approved meanwhile
        if (!current?.key || current.expires_at === null || current.expires_at > ctx.now()) return false;
        await writes.changeAsset(id, { key: null, has_thumb: false, bundle_index: null });
        await writes.addAudit(cleanupAudit(ctx, "sweep asset", project, id));
        return true;
      });
      if (isDeleted) await deleteAssetFiles(store, project, id);
      count += Number(isDeleted);
    }
    if (rows.length < batchSize) return count;
  }
}

/** Bytes that are never finalized live for the upload's time plus a day. */
async function deleteExpiredUploads(ctx: Context, store: Store): Promise<number> {
  for (let count = 0; ; ) {
    const rows = await ctx.data.expiredUploads(ctx.now() - dayMicros, batchSize);
    for (const { id, project } of rows) {
      await ctx.data.atomically(async (writes) => {
        await writes.removeUpload(id);
        await writes.addAudit(cleanupAudit(ctx, "sweep upload", project, id));
      });
      await store.delete(pendingKey(id));
      if (!(await ctx.data.asset(null, id))) await deleteAssetFiles(store, project, id);
    }
    count += rows.length;
    if (rows.length < batchSize) return count;
  }
}
