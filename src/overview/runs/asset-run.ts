/** The run that made an asset. */

import { eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { notFound } from "../../core/problem.ts";
import { ruleKey } from "../../feed/runs/rule.ts";
import { requireAsset } from "../../library/assets/library.ts";
import type { AssetPath } from "../../library/assets/requests.ts";
import type { OverviewContext } from "../context.ts";
import { getRun } from "./run-detail.ts";
import type { RunDetail } from "./schema.ts";

/**
 * The run that an asset names or, by the rule, the one that its creator had on its task when it was uploaded.
 * @throws 404 for an unknown asset, or when no run made it
 */
export async function getAssetRun(
  ctx: OverviewContext,
  { id }: AssetPath,
  caller: Pick<Caller, "projects">,
): Promise<RunDetail> {
  const { project, run_id, created_by, created_at, issue, pr } = await requireAsset(ctx, id, caller);
  const row = run_id
    ? await ctx.data.run(caller.projects, project, run_id)
    : await ctx.data.ruleRunAt(project, ruleKey({ actor: eventActor(created_by), issue, pr }), created_at);
  if (!row) throw notFound(`No run made the asset '${id}', as far as its events say.`);
  return getRun(ctx, { id: row.id, project }, caller);
}
