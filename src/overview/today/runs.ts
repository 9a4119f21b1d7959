/** Runs on Today, and what their kind usually costs. */
import type { Caller } from "../../core/auth/caller.ts";
import type { Micros } from "../../core/lib/time.ts";
import { medianOf } from "../../core/today/median.ts";
import type { RunOutline, RunRow } from "../../feed/rows.ts";
import { toRun } from "../../feed/runs/runs.ts";
import type { Run } from "../../feed/runs/schema.ts";
import { countMax } from "../../library/review-queue/items.ts";
import type { OverviewContext } from "../context.ts";
import type { Today } from "./schema.ts";

const shownMax = 15;
/** Fewer runs of a kind do not say what is usual. */
const usualMin = 3;

/** Times strictly between `since` and `until`. */
export interface Period {
  since: Micros;
  until?: Micros;
}

/** Runs that finished in a period, newest first. Pipelines are left out: they need no one. */
export async function loadFinishedRuns(
  { data }: OverviewContext,
  { projects }: Caller,
  { since, until }: Period,
): Promise<RunOutline[]> {
  return data.runOutlines(projects, {
    status: "finished",
    eventAfter: since,
    ...(until !== undefined && { eventBefore: until }),
    withoutPipelines: true,
    limit: countMax,
  });
}

export async function toFinished(
  ctx: OverviewContext,
  runs: readonly RunOutline[],
): Promise<Today["finished"]> {
  const listed = await ctx.data.runsByIds(runs.slice(0, shownMax));
  const usual = await loadUsualCosts(ctx, listed);
  return {
    count: runs.length,
    runs: listed.map((row) => ({ run: toRun(row, ctx), usual_cost: usual.get(kindOf(row)) ?? null })),
  };
}

/** Runs as a section of Today. */
export async function toSection(
  ctx: OverviewContext,
  runs: readonly RunOutline[],
): Promise<Today["running"]> {
  const listed = await ctx.data.runsByIds(runs.slice(0, shownMax));
  return { count: Math.min(countMax, runs.length), runs: listed.map((row) => toRun(row, ctx)) };
}

/** Runs of one project and lane are of a kind. */
const kindOf = ({ project, lane }: Pick<Run, "project" | "lane">): string => `${project} ${lane ?? ""}`;

/** The median cost of the last finished runs of each kind. */
async function loadUsualCosts(
  { data }: OverviewContext,
  runs: readonly RunRow[],
): Promise<Map<string, number>> {
  const projects = [...new Set(runs.map(({ project }) => project))];
  const kinds = [...Map.groupBy(await data.recentRunCosts(projects), kindOf)];
  return new Map(
    kinds
      .filter(([, rows]) => rows.length >= usualMin)
      .map(([kind, rows]) => [kind, medianOf(rows.map(({ cost_equiv }) => cost_equiv))]),
  );
}
