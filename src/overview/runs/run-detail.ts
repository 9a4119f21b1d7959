/** One run with everything that belongs to it. */

import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros } from "../../core/lib/time.ts";
import type { RunRow } from "../../feed/rows.ts";
import { lostBefore, requireRun, statusOf, toRun } from "../../feed/runs/runs.ts";
import type { RunPath } from "../../feed/runs/schema.ts";
import { toDecision } from "../../memory/to-decision.ts";
import type { OverviewContext } from "../context.ts";
import type { RunDetail } from "./schema.ts";

/** The most rows of each kind in the details of a run. */
const detailsMax = { children: 50, assets: 200, decisions: 200, briefs: 50, recalls: 200, events: 200 };

/**
 * One run with what belongs to it.
 * @throws 404 for an unknown run, 400 when several projects have one of this id
 */
export async function getRun(
  ctx: Pick<OverviewContext, "data" | "config" | "now">,
  path: RunPath,
  caller: Pick<Caller, "projects">,
): Promise<RunDetail> {
  const { data } = ctx;
  const row = await requireRun(ctx, path, caller);
  const lost = lostBefore(ctx);
  const [attempts, children, files, assets, decisions, briefs, recalls, events] = await Promise.all([
    data.runAttempts(row),
    data.runs([row.project], { project: row.project, parent: row.id, limit: detailsMax.children }),
    data.runFiles(row.project, [row.id]),
    data.runAssets(row, detailsMax.assets),
    data.runDecisions(row, detailsMax.decisions),
    data.runBriefs(row, detailsMax.briefs),
    data.runRecalls(row, detailsMax.recalls),
    data.runEvents(row, { limit: detailsMax.events }),
  ]);
  const attempt = (run: RunRow | null) =>
    run && { id: run.id, status: statusOf(run, lost), started_at: fromMicros(run.started_at) };
  return {
    ...toRun(row, ctx),
    previous: attempt(attempts.previous),
    next: attempt(attempts.next),
    children: children.runs.map((run) => toRun(run, ctx)),
    files: (files.get(row.id) ?? []).map(([path, ts]) => ({ path, at: fromMicros(ts) })),
    assets_made: assets.map(({ id, title, version, status }) => ({ id, title, version, status })),
    decisions_made: decisions.map(toDecision),
    briefs: briefs.map((brief) => ({ ...brief, at: fromMicros(brief.at) })),
    recalls: recalls.map((recall) => ({ ...recall, at: fromMicros(recall.at) })),
    events: events.map(({ wire }) => JSON.parse(wire)),
  };
}
