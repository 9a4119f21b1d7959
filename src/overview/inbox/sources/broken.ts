/** What failed or stopped reporting, until its work is done or someone is on it. */

import { actorLabel } from "../../../core/auth/actor-name.ts";
import { perObject } from "../../../core/lib/cache.ts";
import { formatDate } from "../../../core/lib/quantities.ts";
import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import { fromMicros, type Micros, secondMicros } from "../../../core/lib/time.ts";
import type { Projects } from "../../../core/rows.ts";
import { taskNumberOf } from "../../../core/task-key.ts";
import type { RunOutline } from "../../../feed/rows.ts";
import { type Failure, toFailure, unrepairedFailures } from "../../../feed/runs/repaired.ts";
import { lostBefore, taskOfRun, taskTitleOf } from "../../../feed/runs/runs.ts";
import type { Event } from "../../../feed/schema.ts";
import type { OverviewContext } from "../../context.ts";
import { type Broken, type Candidate, candidatesMax, type Source, windowMicros } from "../candidate.ts";

const failureKinds = ["run.failed", "preview.failed"] as const;

export async function loadBroken(ctx: OverviewContext, projects: Projects, after: Micros): Promise<Broken> {
  const { data } = ctx;
  const lostAt = lostBefore(ctx);
  const [{ failed, failures }, runs] = await Promise.all([
    loadFailures(ctx, projects, after),
    data.runOutlines(projects, {
      status: "running",
      withoutPipelines: true,
      eventAfter: after,
      limit: 2 * candidatesMax,
    }),
  ]);
  const silent = runs.filter(({ last_event_at }) => last_event_at < lostAt);
  const running = runs.filter(({ last_event_at }) => last_event_at >= lostAt);
  const over = await data.repairedSince(silent.map(({ last_event_at }) => last_event_at));
  const lost = silent.filter(({ last_event_at }) => !over.has(last_event_at));
  return { failures, failed, lost, running, repaired: failed.length - failures.length };
}

/** The newest failures, and those of them that are not repaired. */
async function loadFailures({ data }: OverviewContext, projects: Projects, after: Micros) {
  // One read per kind: each is a range of one index.
  const pages = await Promise.all(
    failureKinds.map((kind) => data.feed(projects, { kind, after, limit: candidatesMax })),
  );
  const found = pages.flat().sort((a, b) => b.ts - a.ts);
  const past = await data.backfilledAt(found.map(({ ts }) => ts));
  const failed = found.filter(({ ts }) => !past.has(ts)).map(toFailure);
  return { failed, failures: await unrepairedFailures(data, projects, failed) };
}

/** A failure or a lost run. */
interface Break extends Candidate {
  /** Breaks with the same key are attempts at the same work. */
  work: string;
}

/** One item for each work, the last attempt, and one for equal failures of several. */
export const brokenWork: Source = async (ctx, _caller, broken) => {
  const { failures, lost, running } = await broken;
  const after = ctx.now() - windowMicros;
  const attempts = Map.groupBy(running, (run) => workOf(run, run.id));
  const isRetried = ({ work, at }: Break) => attempts.get(work)?.some(({ started_at }) => started_at > at);
  const breaks = [
    ...failures.map((failure) => ofFailure(failure)),
    ...lost.map((run) => ofLostRun(run, ctx.config)),
  ]
    .filter((one) => one.at > after && !isRetried(one))
    .sort((a, b) => b.at - a.at);
  const works = [...Map.groupBy(breaks, ({ work }) => work).values()];
  const equal = Map.groupBy(works, ([newest]) => causeOf(newest as Break));
  return [...equal.values()].map((group) => together(group.flat()));
};

/** The newest stands for all. */
function together(breaks: Break[]): Candidate {
  const [{ work: _, ...newest }, ...others] = breaks.sort((a, b) => b.at - a.at) as [Break, ...Break[]];
  const first = others.at(-1);
  if (!first) return newest;
  const since = `${breaks.length} times since ${formatDate(fromMicros(first.at))}`;
  const detail = newest.detail === null ? since : `${newest.detail}; ${since}`;
  return { ...newest, times: breaks.length, detail };
}

/** What differs between equal failures: numbers of runs and tasks, ids, and durations. */
const varying =
  /#\d+|\b[0-9a-f]{7,64}\b|\b(?:run|job|build|attempt|try) \d+|\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?)\b/gi;

const causeOf = perObject(({ reason, project, title }: Break): string =>
  JSON.stringify([reason, project, title.replace(varying, "#")]),
);

/** A failure that is read again, and the outline of a run that did not change, are the same objects. */
const ofFailure = perObject(({ event, row }: Failure): Break => {
  const { id, kind, summary, project } = event;
  const isRun = kind === "run.failed";
  const work = workOf(event, event.run_id ?? id);
  return {
    id: `${isRun ? "run" : "preview"}-${id}`,
    reason: isRun ? "run_failed" : "preview_failed",
    title: summary,
    detail: null,
    path: pathOf(event, row.ts),
    project,
    issue: event.issue,
    task: event.task ?? null,
    pr: event.pr,
    at: row.ts,
    work: isRun ? work : `preview\n${work}`,
  };
});

const ofLostRun = perObject((run: RunOutline, config: OverviewContext["config"]): Break => {
  const { id, project, actor, last_event_at } = run;
  return {
    id: `lost-${last_event_at}`,
    reason: "run_lost",
    title: taskTitleOf(run) || run.summary,
    detail: `${isolateBidi(actorLabel(actor, config))} stopped reporting`,
    path: runPath(id, project),
    project,
    ...taskOfRun(run),
    pr: run.pr,
    at: last_event_at + config.runTimeoutSeconds * secondMicros,
    work: workOf(run, id),
  };
});

/** What a task and lane, or one run, has in common: in lines, as these hold no line breaks. */
function workOf(of: Pick<Event, "project" | "issue" | "task" | "pr" | "lane">, run: string | number): string {
  const task = taskNumberOf(of) ?? (of.pr && `!${of.pr}`);
  return task !== null ? `${of.project}\n${task}\n${of.lane ?? ""}` : `${of.project}\n${run}`;
}

/** Its run or, for an event without one, its place in the feed of its project. */
function pathOf({ project, run_id }: Event, ts: Micros): string {
  if (run_id && project) return runPath(run_id, project);
  const before = fromMicros(ts + 1);
  return `/feed?${new URLSearchParams({ ...(project !== null && { project }), before })}`;
}

const runPath = (id: string, project: string): string => `/runs/${encodeURIComponent(id)}?project=${project}`;
