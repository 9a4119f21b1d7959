/**
 * Lists tasks. By default the list follows that of runs: a task stands where its newest run stands, so a page
 * reads a bounded number of runs, and older runs of a task are passed over. Sorted in another way, or by
 * stage, it has the tasks of the newest runs and those that are not finished.
 */

import type { Caller } from "../../core/auth/caller.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import type { Micros } from "../../core/lib/time.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { lostBefore } from "../../feed/runs/runs.ts";
import type { OverviewContext } from "../context.ts";
import type { TaskKey, TaskRow } from "../rows.ts";
import { stageOf, toTask } from "./listed-task.ts";
import {
  type BoardQuery,
  type ListedTask,
  type TaskBoard,
  type TaskPage,
  type TaskSort,
  type TasksQuery,
  taskStages,
} from "./schema.ts";

type TaskContext = Pick<OverviewContext, "data" | "config" | "now">;
type Reader = Pick<Caller, "projects">;

/** Runs that are read at a time, and how often: what a page looks through at most. */
const readLength = 200;
const readsMax = 4;
/** Runs, and unfinished tasks of each kind, whose tasks are sorted. */
const sortedRuns = 1_000;
const unfinishedMax = 200;

/** One page of tasks. @throws 404 for a project that the caller may not see */
export async function listTasks(ctx: TaskContext, query: TasksQuery, caller: Reader): Promise<TaskPage> {
  const { project, state, stage, actor, model, team, person, sort = "recent" } = query;
  if (project !== undefined) await requireProject(ctx.data, project, caller);
  const isFiltered =
    state === "open" || [stage, actor, model, team, person].some((filter) => filter !== undefined);
  return sort === "recent" && !isFiltered ? tasksByRun(ctx, query, caller) : sortedTasks(ctx, query, caller);
}

async function tasksByRun(
  ctx: TaskContext,
  { project, state, limit = 50, cursor }: TasksQuery,
  { projects }: Reader,
): Promise<TaskPage> {
  const start = cursor === undefined ? undefined : (readCursor(cursor).ts ?? 0);
  const listed = new Set<string>();
  const rows: TaskRow[] = [];
  let before: Micros | null | undefined = start;
  for (let reads = 0; before !== null && reads < readsMax; reads++) {
    const page = await ctx.data.recentTasks(projects, { project, before, runs: readLength });
    const tasks = page.tasks.filter((task) => !listed.has(keyOf(task)));
    for (const task of tasks) listed.add(keyOf(task));
    // A task whose newest run is after the cursor was on an earlier page.
    const found = (await ctx.data.taskRows(tasks, lostBefore(ctx))).filter(
      (row) =>
        row.listed_at < (start ?? Number.POSITIVE_INFINITY) && (state === undefined || row.state === state),
    );
    rows.push(...found);
    before = page.next;
    if (rows.length >= limit && (rows.length > limit || before !== null)) {
      before = rows[limit - 1]?.listed_at ?? null;
      break;
    }
  }
  return pageOf(rows.slice(0, limit).map(toTask), before == null ? null : cursorOf(before));
}

/** The cursor of a sorted list is the number of tasks on the pages before. */
async function sortedTasks(ctx: TaskContext, query: TasksQuery, caller: Reader): Promise<TaskPage> {
  const { state, stage, actor, model, team, person, sort = "recent", limit = 50, cursor } = query;
  const start = cursor === undefined ? 0 : (readCursor(cursor).ts ?? 0);
  const rows = (await tasksInHand(ctx, query.project, caller))
    .filter(
      (row) =>
        (state === undefined || row.state === state) &&
        (stage === undefined || stageOf(row) === stage) &&
        (actor === undefined || row.actors.includes(actor)) &&
        (model === undefined || row.models.includes(model)) &&
        (team === undefined || row.teams.includes(team)) &&
        (person === undefined || row.people.includes(person)),
    )
    .toSorted(orders[sort]);
  const end = start + limit;
  return pageOf(rows.slice(start, end).map(toTask), end < rows.length ? cursorOf(end) : null);
}

/** The tasks in hand by their stage. @throws 404 for a project that the caller may not see */
export async function loadBoard(
  ctx: TaskContext,
  { project, limit = 20 }: BoardQuery,
  caller: Reader,
): Promise<TaskBoard> {
  if (project !== undefined) await requireProject(ctx.data, project, caller);
  const byStage = Map.groupBy(await tasksInHand(ctx, project, caller), stageOf);
  const columns = taskStages.map((stage) => {
    const found = byStage.get(stage) ?? [];
    return { stage, count: found.length, tasks: found.slice(0, limit).map(toTask) };
  });
  return { columns };
}

/** The tasks of the newest runs, and those that are not finished, the one with the newest run first. */
async function tasksInHand(
  ctx: TaskContext,
  project: string | undefined,
  { projects }: Reader,
): Promise<TaskRow[]> {
  const [recent, unfinished] = await Promise.all([
    ctx.data.recentTasks(projects, { project, runs: sortedRuns }),
    ctx.data.unfinishedTasks(projects, { project, limit: unfinishedMax }),
  ]);
  const keys = new Map([...recent.tasks, ...unfinished].map((task) => [keyOf(task), task]));
  return ctx.data.taskRows([...keys.values()], lostBefore(ctx));
}

const keyOf = ({ project, issue, pr }: TaskKey): string => JSON.stringify([project, issue, pr]);

/** The sort is stable: equal tasks stay in the order of their newest runs. */
const orders: Record<TaskSort, (a: TaskRow, b: TaskRow) => number> = {
  recent: () => 0,
  cost: (a, b) => b.cost_equiv - a.cost_equiv,
  runs: (a, b) => b.runs - a.runs,
  age: (a, b) => ageOf(a) - ageOf(b),
};

const ageOf = ({ opened, last_event_at }: TaskRow): Micros => opened ?? last_event_at;

const pageOf = (tasks: ListedTask[], next_cursor: string | null): TaskPage => ({
  tasks,
  count: tasks.length,
  next_cursor,
});
