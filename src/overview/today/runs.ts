/** Runs on Today: those in flight, those that ended, and what their kind usually costs. */
import type { Caller } from "../../core/auth/caller.ts";
import type { Micros } from "../../core/lib/time.ts";
import { medianOf } from "../../core/today/median.ts";
import type { RunQuery, RunRow } from "../../feed/rows.ts";
import { lostBefore, toRun } from "../../feed/runs/runs.ts";
import type { Run } from "../../feed/runs/schema.ts";
import { countMax } from "../../library/review-queue/count-max.ts";
import type { OverviewContext } from "../context.ts";
import type { Today } from "./schema.ts";

const shownMax = 15;
/** Fewer runs of a kind do not say what is usual. */
const usualMin = 3;

/**
 * Runs in flight now, and those that finished, or were lost and not repaired, since the caller last looked.
 * Pipelines are left out: those that failed are among the failures, and the others need no one.
 */
export async function loadRuns(
  ctx: OverviewContext,
  { projects }: Caller,
  since: Micros,
): Promise<Pick<Today, "running" | "finished" | "lost">> {
  const lost = lostBefore(ctx);
  const read = async (query: Omit<RunQuery, "limit">): Promise<RunRow[]> =>
    (await ctx.data.runs(projects, { ...query, withoutPipelines: true, limit: countMax })).runs;
  const [running, finished, gone] = await Promise.all([
    read({ status: "running", eventAfter: lost - 1 }),
    read({ status: "finished", eventAfter: since }),
    since < lost ? read({ status: "running", eventAfter: since, eventBefore: lost }) : [],
  ]);
  const over = await ctx.data.repairedSince(gone.map(({ last_event_at }) => last_event_at));
  const stillLost = gone.filter(({ last_event_at }) => !over.has(last_event_at));
  const usual = await loadUsualCosts(ctx, finished.slice(0, shownMax));
  const render = (rows: RunRow[]): Run[] => rows.slice(0, shownMax).map((row) => toRun(row, lost));
  return {
    running: { count: running.length, runs: render(running) },
    finished: {
      count: finished.length,
      runs: render(finished).map((run) => ({ run, usual_cost: usual.get(kindOf(run)) ?? null })),
    },
    lost: { count: stillLost.length, runs: render(stillLost) },
  };
}

/** Runs of one project and lane are of a kind. */
const kindOf = ({ project, lane }: Pick<Run, "project" | "lane">): string => `${project} ${lane ?? ""}`;

/** The median cost of the last finished runs of each kind. */
async function loadUsualCosts({ data }: OverviewContext, runs: RunRow[]): Promise<Map<string, number>> {
  const projects = [...new Set(runs.map(({ project }) => project))];
  const costs = await Promise.all(
    projects.map(async (project) =>
      (await data.recentRunCosts(project)).map(({ lane, cost_equiv }) => ({
        kind: kindOf({ project, lane }),
        cost_equiv,
      })),
    ),
  );
  const kinds = [...Map.groupBy(costs.flat(), ({ kind }) => kind)];
  return new Map(
    kinds
      .filter(([, rows]) => rows.length >= usualMin)
      .map(([kind, rows]) => [kind, medianOf(rows.map(({ cost_equiv }) => cost_equiv))]),
  );
}
