/**
 * Results from events. An event that ended a run is the run, and one that tells of a task or an asset among
 * the results is left out: one result a thing.
 */
import { actorLabel } from "../../core/auth/actor-name.ts";
import { formatCost } from "../../core/lib/quantities.ts";
import { fromMicros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { RunRow } from "../../feed/rows.ts";
import { runUrl } from "../../feed/runs/page-url.ts";
import { toRun } from "../../feed/runs/runs.ts";
import type { MemoryHit } from "../../memory/recall/search.ts";
import type { OverviewContext } from "../context.ts";
import { analyzeTitle, type Query, relevanceOf } from "./relevance.ts";
import type { Found } from "./result.ts";
import { keyOf, taskId } from "./task-results.ts";

type EventContext = Pick<OverviewContext, "data" | "config" | "now">;

const endOfRun = /^run\./;
const ofTask = /^(issue|pr)\./;

/** The runs among the events, each once: the first of its events says what it did. */
export async function runsOf(
  ctx: EventContext,
  projects: Projects,
  hits: readonly MemoryHit[],
  { query, limit }: { query: Query; limit: number },
): Promise<Found[]> {
  const byRun = new Map<string, MemoryHit>();
  for (const hit of hits)
    if (isRun(hit)) byRun.getOrInsert(JSON.stringify([hit.row.project, hit.row.event?.run_id]), hit);
  const found = [...byRun.values()]
    .slice(0, limit)
    .map(async ({ row, matched, coverage }): Promise<Found[]> => {
      const run = await ctx.data.run(projects, row.project ?? "", row.event?.run_id ?? "");
      if (!run) return [];
      const result = toFound(ctx, run, row.text);
      const relevance = relevanceOf(query, { coverage }, analyzeTitle(result.title));
      return [{ ...result, matched, relevance }];
    });
  return (await Promise.all(found)).flat();
}

const isRun = ({ row }: MemoryHit): boolean =>
  endOfRun.test(row.source) && row.project !== null && row.event?.run_id != null;

/** A run as a result. */
export function toFound(ctx: EventContext, row: RunRow, summary: string): Found {
  const run = toRun(row, ctx);
  const facts = [
    run.id,
    run.status,
    actorLabel(run.actor, ctx.config),
    run.cost_equiv > 0 && formatCost(run.cost_equiv),
  ];
  return {
    type: "run",
    id: run.id,
    project: run.project,
    title: run.title,
    text: `${facts.filter(Boolean).join(", ")}: ${summary}`,
    path: runUrl(run),
    at: row.last_event_at,
  };
}

interface OtherResults {
  query: Query;
  limit: number;
  tasks: readonly Found[];
  assets: readonly Found[];
  hasRuns: boolean;
}

/** The events that are no other result. Where a group is full, its further things are left out as well. */
export async function eventsOf(
  ctx: EventContext,
  hits: readonly MemoryHit[],
  { query, limit, tasks, assets, hasRuns }: OtherResults,
): Promise<Found[]> {
  const ids = new Set(tasks.map(({ id }) => id));
  const isOther = async (hit: MemoryHit): Promise<boolean> => {
    const { source, project, text } = hit.row;
    if (source === "asset.uploaded")
      return (
        assets.length >= limit || assets.some((one) => one.project === project && text.includes(one.title))
      );
    if (!ofTask.test(source)) return hasRuns && isRun(hit);
    if (tasks.length === 0 || tasks.length >= limit) return tasks.length > 0;
    const key = await keyOf(ctx, hit);
    return key !== null && ids.has(taskId(key));
  };
  const others = await Promise.all(hits.map(isOther));
  return hits
    .filter((_, index) => !others[index])
    .slice(0, limit)
    .map((hit) => toEvent(hit, query));
}

function toEvent({ row, matched, coverage }: MemoryHit, query: Query): Found {
  const { id, project, text, valid_from } = row;
  const place = { ...(project !== null && { project }), before: fromMicros(valid_from + 1) };
  return {
    type: "event",
    id: String(id),
    project,
    matched,
    relevance: relevanceOf(query, { coverage }, analyzeTitle(text)),
    title: text,
    path: `/feed?${new URLSearchParams(place)}`,
    at: valid_from,
  };
}
