/**
 * What the inbox is a query over: each source reads a bounded number of the newest causes that are not over,
 * from an index, so that the inbox costs the same whatever the size of the log.
 */

import type { Asset } from "../assets/schema.ts";
import { isAllowed } from "../auth/authorization.ts";
import type { Caller } from "../auth/caller.ts";
import { readerOf } from "../auth/reader.ts";
import type { Context } from "../context.ts";
import type { Event } from "../feed/schema.ts";
import { isolateBidi } from "../lib/display-text.ts";
import { dayMicros, fromMicros, type Micros, secondMicros, toMicros } from "../lib/time.ts";
import { lostBefore } from "../runs/runs.ts";
import { countMax, type Reason } from "./schema.ts";

/** Something to act on; `path` is the page to do so. */
export interface Candidate {
  id: string;
  reason: Reason;
  title: string;
  detail: string | null;
  path: string;
  project: string | null;
  at: Micros;
}

/** Events and lost runs that are older are not shown. What waits for a review is, whatever its age. */
const windowMicros = 30 * dayMicros;

/** Candidates of each source: twice what is counted, so that marking a hundred as done leaves the others. */
export const candidatesMax = 2 * countMax;

/** All causes that concern the caller, in any order. */
export async function findCandidates(ctx: Context, caller: Caller): Promise<Candidate[]> {
  const sources = [pendingReviews, rejections, failedRuns, lostRuns];
  return (await Promise.all(sources.map((source) => source(ctx, caller)))).flat();
}

/** Pending assets, for those who can review them. */
async function pendingReviews({ data, config }: Context, caller: Caller): Promise<Candidate[]> {
  if (!isAllowed(caller, "assets:read", config) || !isAllowed(caller, "assets:review", config)) return [];
  const pending = await data.assets(caller.projects, { status: "pending", limit: candidatesMax });
  return pending.map(({ id, created_at, wire }) => {
    const asset = JSON.parse(wire) as Asset;
    return {
      id: `review-${id}`,
      reason: "review",
      title: asset.title,
      detail:
        asset.version > 1 ? `Version ${asset.version}, by ${asset.created_by}` : `By ${asset.created_by}`,
      path: `/assets/${id}?project=${asset.project}`,
      project: asset.project,
      at: created_at,
    };
  });
}

/** Rejected assets that the caller made, until there is a newer version. */
async function rejections({ data, config }: Context, caller: Caller): Promise<Candidate[]> {
  const author = readerOf(caller);
  if (author === null || !isAllowed(caller, "assets:read", config)) return [];
  const rows = await data.rejectedAssets(
    [`human:${author}`, `token:${author}`],
    caller.projects,
    candidatesMax,
  );
  return rows.map(({ id, title, project, review_note, reviewed_at }) => ({
    id: `rejected-${id}`,
    reason: "rejected",
    title,
    detail: review_note,
    path: `/assets/${id}?project=${project}`,
    project,
    at: reviewed_at as Micros,
  }));
}

/** The last failure of each run and task, unless it finished later. */
async function failedRuns({ data, now }: Context, { projects }: Caller): Promise<Candidate[]> {
  const after = now() - windowMicros;
  const failures = await data.feed(projects, { kind: "run.failed", after, limit: candidatesMax });
  const over = await data.finishedSince(failures.map(({ ts }) => ts));
  const events = failures.filter(({ ts }) => !over.has(ts)).map(({ wire }) => JSON.parse(wire) as Event);
  return [...Map.groupBy(events, workOf).values()].map(([newest]) => {
    const event = newest as Event; // safe because: a group has an event
    return {
      id: `run-${event.id}`,
      reason: "run_failed",
      title: event.summary,
      detail: null,
      path: pathOf(event),
      project: event.project,
      at: toMicros(event.ts),
    };
  });
}

/** Failures with the same key are attempts at the same work: those of a task and lane, or of one run. */
function workOf({ id, project, issue, pr, lane, run_id }: Event): string {
  const task = issue ?? (pr && -pr);
  return JSON.stringify(task !== null ? [project, task, lane] : [project, run_id ?? id]);
}

/** Its run or, for an event without one, its place in the feed of its project. */
function pathOf({ project, ts, run_id }: Event): string {
  if (run_id && project) return runPath(run_id, project);
  const before = fromMicros(toMicros(ts) + 1);
  return `/feed?${new URLSearchParams({ ...(project !== null && { project }), before })}`;
}

const runPath = (id: string, project: string): string => `/runs/${encodeURIComponent(id)}?project=${project}`;

/** Runs that stopped reporting without an end, unless their task was finished later. */
async function lostRuns(ctx: Context, { projects }: Caller): Promise<Candidate[]> {
  const lost = lostBefore(ctx);
  const { runs } = await ctx.data.runs(projects, {
    status: "running",
    eventAfter: ctx.now() - windowMicros,
    eventBefore: lost,
    limit: candidatesMax,
  });
  const over = await ctx.data.finishedSince(runs.map(({ last_event_at }) => last_event_at));
  return runs
    .filter(({ last_event_at }) => !over.has(last_event_at))
    .map(({ id, project, actor, summary, last_event_at }) => ({
      id: `lost-${last_event_at}`,
      reason: "run_lost",
      title: summary,
      detail: `${isolateBidi(actor)} stopped reporting`,
      path: runPath(id, project),
      project,
      at: last_event_at + ctx.config.runTimeoutSeconds * secondMicros,
    }));
}
