/** The repairs of `svc doctor`, which are safe beside a running server. */
import type { Action } from "../../core/audit/port.ts";
import { takeOver } from "../../files/stores/owned-store.ts";
import { cleanUpAssets } from "../../library/assets/cleanup/retention.ts";
import { finishRemovals } from "../../library/removals/finish.ts";
import type { Context } from "../context.ts";
import { repairBundles } from "./bundles.ts";
import { type Finding, ok } from "./finding.ts";
import { isRecomputed } from "./inconsistencies.ts";

const recordAction = ({ data, now }: Context, action: Action): Promise<void> =>
  data.atomically((writes) => writes.addAudit({ ...action, at: now(), status: 200 }));

/**
 * Recomputes what is derived from rows, and deletes expired and orphaned files, as the cleanup of a server
 * does; after a deep check, also restores what was unpacked from reviewed zips.
 */
export async function repair(
  ctx: Context,
  action: Action,
  { deep, tell }: { deep: boolean; tell?: (what: string) => void },
): Promise<Finding[]> {
  const before = await ctx.data.findInconsistencies((check) => tell?.(`rows: ${check}`));
  const recomputed = before.filter(({ kind }) => isRecomputed(kind));
  if (recomputed.length > 0) tell?.(`recomputing ${recomputed.map(({ kind }) => kind).join(", ")}`);
  await ctx.data.rebuildDerivedRows(before.map(({ kind }) => kind));
  await recordAction(ctx, action);
  await finishRemovals(ctx);
  const { expired, uploads, orphans } = await cleanUpAssets(ctx);
  const bundles = deep ? await repairBundles(ctx) : 0;
  return [
    ok(
      "fixed",
      `recomputed ${recomputed.length} kinds of rows; deleted ${expired + uploads} expired and ` +
        `${orphans} orphaned files` +
        (deep ? `; restored files of ${bundles} bundles` : ""),
    ),
  ];
}

/** Makes this deployment the owner of its stores. */
export async function takeStoresOver(ctx: Context, action: Action): Promise<Finding[]> {
  const changed = await takeOver(ctx);
  if (changed.length === 0)
    return [ok("taken over", "nothing to do: the stores already belong to this deployment")];
  await recordAction(ctx, action);
  return [ok("taken over", `the ${changed.join(" and the ")} store`)];
}
