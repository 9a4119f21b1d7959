/** The sweep: bytes whose time is over, uploads that nobody finalized, and what else no row answers for. */
import { serviceAction } from "../audit/action.ts";
import type { Context } from "../context.ts";
import { dayMicros, type Micros, secondMicros } from "../lib/time.ts";
import type { NewAudit } from "../rows.ts";
import { pendingKey } from "../stores/keys.ts";
import type { OwnedStore, Store } from "../stores/store.ts";
import { forget } from "./derivatives.ts";
import { sweepOrphans } from "./orphan-cleanup.ts";

const batch = 100;
/** Bytes without a row are left alone for so long: their row may be on its way. */
const graceMicros = 3_600 * secondMicros;

export interface Swept {
  expired: number;
  uploads: number;
  orphans: number;
}

/**
 * Sweeps the stores that belong to this deployment. @param grace how old bytes without a row must be, in
 * microseconds
 */
export async function sweepAssets(ctx: Context, grace: Micros = graceMicros): Promise<Swept> {
  const stores = { store: await ifOwn(ctx.store), publicStore: await ifOwn(ctx.publicStore) };
  const { store } = stores;
  const expired = store ? await sweepExpired(ctx, store) : 0;
  const uploads = store ? await sweepUploads(ctx, store) : 0;
  const orphans = await sweepOrphans(ctx, stores, ctx.now() - grace);
  if (orphans > 0)
    await ctx.data.atomically((writes) =>
      writes.addAudit({ ...swept(ctx, "sweep orphans"), count: orphans }),
    );
  return { expired, uploads, orphans };
}

/** Asked at each sweep: another deployment may have taken the store over since. */
const ifOwn = async (store: OwnedStore | null): Promise<OwnedStore | null> =>
  (await store?.owner()) === "this" ? store : null;

/** Of bytes that go there is a row each; of those that no row knew, their number. */
const swept = (
  { now }: Context,
  what: string,
  project: string | null = null,
  target: string | null = null,
): NewAudit => ({
  ...serviceAction(what, project, target),
  ...{ at: now(), status: 200 },
});

/**
 * The row first: from then on it promises no bytes, and a sweep that dies here is finished as one of orphans.
 */
async function sweepExpired(ctx: Context, store: Store): Promise<number> {
  for (let count = 0; ; ) {
    const rows = await ctx.data.expiredAssets(ctx.now(), batch);
    for (const { id, project } of rows) {
      const isSwept = await ctx.data.atomically(async (writes) => {
        const now = await writes.asset(null, id);
        // approved meanwhile
        if (!now?.key || now.expires_at === null || now.expires_at > ctx.now()) return false;
        await writes.changeAsset(id, { key: null, has_thumb: false, bundle_index: null });
        await writes.addAudit(swept(ctx, "sweep asset", project, id));
        return true;
      });
      if (isSwept) await forget(store, project, id);
      count += Number(isSwept);
    }
    if (rows.length < batch) return count;
  }
}

/** Bytes that are never finalized live for the upload's time plus a day. */
async function sweepUploads(ctx: Context, store: Store): Promise<number> {
  for (let count = 0; ; ) {
    const rows = await ctx.data.expiredUploads(ctx.now() - dayMicros, batch);
    for (const { id, project } of rows) {
      await ctx.data.atomically(async (writes) => {
        await writes.removeUpload(id);
        await writes.addAudit(swept(ctx, "sweep upload", project, id));
      });
      await store.delete(pendingKey(id));
      if (!(await ctx.data.asset(null, id))) await forget(store, project, id);
    }
    count += rows.length;
    if (rows.length < batch) return count;
  }
}
