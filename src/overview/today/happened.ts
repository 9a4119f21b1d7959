/** What happened since a person last looked: a sentence for each task, and for each run without one. */

import type { Caller } from "../../core/auth/caller.ts";
import { formatCost, pluralize } from "../../core/lib/quantities.ts";
import { fromMicros, type Micros, toMicros } from "../../core/lib/time.ts";
import { taskNumberOf } from "../../core/task-key.ts";
import type { RenderedEvent, RunOutline } from "../../feed/rows.ts";
import { taskUrl } from "../../feed/runs/page-url.ts";
import { runTitle, taskIssue, taskOfRun } from "../../feed/runs/runs.ts";
import type { Event } from "../../feed/schema.ts";
import { taskTitle } from "../../feed/tasks/task-title.ts";
import { countMax } from "../../library/review-queue/items.ts";
import type { OverviewContext } from "../context.ts";
import type { Broken } from "../inbox/candidate.ts";
import type { Period } from "./runs.ts";
import type { HappenedTask, Today } from "./schema.ts";

const shownMax = 15;

/** Of one task, or of a run without one. */
interface Happened {
  project: string;
  issue: number | null;
  task: string | null;
  pr: number | null;
  /** Of the pull request; that of a task with runs is theirs. */
  title: string | null;
  runs: RunOutline[];
  failed: number;
  /** The pull request that was merged. */
  merged: number | null;
  at: Micros;
}

/** The newest pull requests that were merged in a period. */
export const loadMerges = (
  { data }: OverviewContext,
  { projects }: Caller,
  { since, until }: Period,
): Promise<RenderedEvent[]> =>
  data.feed(projects, {
    kind: "pr.merged",
    after: since,
    ...(until !== undefined && { before: until }),
    limit: countMax,
  });

interface InPeriod extends Period {
  /** The runs that finished in it, newest first. */
  finished: readonly RunOutline[];
  merges: readonly RenderedEvent[];
  broken: Broken;
}

export function toHappened(
  ctx: OverviewContext,
  { since, until, finished, merges, broken }: InPeriod,
): Today["happened"] {
  const tasks = new Map<string, Happened>();
  for (const run of finished) addRun(tasks, run);
  // A pull request belongs to the task whose runs name it.
  const ofPull = new Map([...tasks.values()].map((task) => [keyOf(task.project, task.pr, null), task]));
  for (const { wire } of merges) addMerge(tasks, ofPull, JSON.parse(wire) as Event);
  for (const { row, event } of broken.failed)
    if (row.ts > since && row.ts < (until ?? Infinity)) addFailure(tasks, event);
  const newest = [...tasks.values()].sort((a, b) => b.at - a.at);
  return {
    count: Math.min(countMax, newest.length),
    tasks: newest.slice(0, shownMax).map((task) => toHappenedTask(ctx, task)),
  };
}

type Tasks = Map<string, Happened>;

/** @param task the number of its task, or `!` and that of a pull request */
const keyOf = (project: string, task: number | string | null, run: string | null): string =>
  `${project} ${task ?? run}`;

function addRun(tasks: Tasks, run: RunOutline): void {
  const { project, pr, id, last_event_at: at } = run;
  const key = keyOf(project, taskIssue(run) ?? (pr && `!${pr}`), id);
  const task = tasks.get(key);
  if (!task) {
    tasks.set(key, { project, ...taskOfRun(run), pr, title: null, runs: [run], failed: 0, merged: null, at });
    return;
  }
  task.runs.push(run);
  task.pr ??= pr;
}

function addMerge(tasks: Tasks, ofPull: ReadonlyMap<string, Happened>, event: Event): void {
  const { project, issue, task = null, pr, summary } = event;
  if (project === null || pr === null) return;
  const key = keyOf(project, taskNumberOf(event) ?? `!${pr}`, null);
  const at = toMicros(event.ts);
  const known = tasks.get(key) ?? ofPull.get(keyOf(project, pr, null));
  if (!known) {
    tasks.set(key, {
      project,
      issue,
      task,
      pr,
      title: taskTitle(summary),
      runs: [],
      failed: 0,
      merged: pr,
      at,
    });
    return;
  }
  known.merged ??= pr;
  known.at = Math.max(known.at, at);
}

/** A failure that another run of its task made up for. Others are in the inbox. */
function addFailure(tasks: Tasks, event: Event): void {
  const { project, pr, run_id } = event;
  const task = tasks.get(keyOf(project ?? "", taskNumberOf(event) ?? (pr && `!${pr}`), run_id ?? null));
  if (task && task.runs.length > 0) task.failed++;
}

function toHappenedTask(ctx: OverviewContext, task: Happened): HappenedTask {
  const { project, issue, pr, runs, failed, merged, at } = task;
  const [newest] = runs;
  const title = task.title ?? (newest ? runTitle(newest, ctx.config) : "");
  const cost_equiv = runs.reduce((sum, run) => sum + run.cost_equiv, 0);
  const facts = [
    failed > 0 ? `${failed} failed, then passed` : runs.length > 0 && pluralize(runs.length, "run"),
    cost_equiv > 0 && formatCost(cost_equiv),
    merged !== null && `merged as #${merged}`,
  ];
  return {
    project,
    issue,
    task: task.task,
    pr,
    title,
    text: facts.filter((fact) => fact !== false).join(", "),
    merged_as: merged,
    cost_equiv,
    url: ctx.config.siteUrl + pathOf(task),
    at: fromMicros(at),
  };
}

const pathOf = ({ runs: [run], ...task }: Happened): string =>
  taskUrl(task) ?? `/runs/${encodeURIComponent(run?.id ?? "")}?project=${task.project}`;
