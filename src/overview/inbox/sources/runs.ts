/** Runs that failed or were lost, until their work is done. */
import { actorName } from "../../../core/auth/actor-name.ts";
import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import { fromMicros, secondMicros, toMicros } from "../../../core/lib/time.ts";
import { unrepairedFailures } from "../../../feed/runs/repaired.ts";
import { lostBefore } from "../../../feed/runs/runs.ts";
import type { Event } from "../../../feed/schema.ts";
import { candidatesMax, type Source, windowMicros } from "../candidate.ts";

/** The last failure of each run and task, unless it finished later. */
export const failedRuns: Source = async ({ data, now }, { projects }) => {
  const after = now() - windowMicros;
  const failures = await data.feed(projects, { kind: "run.failed", after, limit: candidatesMax });
  const open = await unrepairedFailures(data, projects, failures);
  const events = open.map(({ wire }) => JSON.parse(wire) as Event);
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
};

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
export const lostRuns: Source = async (ctx, { projects }) => {
  const lost = lostBefore(ctx);
  const { runs } = await ctx.data.runs(projects, {
    status: "running",
    eventAfter: ctx.now() - windowMicros,
    eventBefore: lost,
    limit: candidatesMax,
  });
  const over = await ctx.data.repairedSince(runs.map(({ last_event_at }) => last_event_at));
  return runs
    .filter(({ last_event_at }) => !over.has(last_event_at))
    .map(({ id, project, actor, summary, last_event_at }) => ({
      id: `lost-${last_event_at}`,
      reason: "run_lost",
      title: summary,
      detail: `${isolateBidi(actorName(actor))} stopped reporting`,
      path: runPath(id, project),
      project,
      at: last_event_at + ctx.config.runTimeoutSeconds * secondMicros,
    }));
};
