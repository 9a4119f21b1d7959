/**
 * The list of tasks that runs worked on. It follows the list of runs: a task stands where its newest run
 * stands, so a page reads a bounded number of runs, and older runs of a task are passed over.
 */

import type { Caller } from "../../core/auth/caller.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { RunRow } from "../../feed/rows.ts";
import { taskIssue } from "../../feed/runs/runs.ts";
import type { Event } from "../../feed/schema.ts";
import { taskTitle } from "../../feed/tasks/task-title.ts";
import type { OverviewContext } from "../context.ts";
import type { TaskKey, TaskRow } from "../rows.ts";
import type { ListedTask, TaskPage, TasksQuery } from "./schema.ts";

/** Runs that are read at a time, and how often: what a page looks through at most. */
const readLength = 200;
const readsMax = 4;

/** One page of tasks, newest event of a run first. @throws 404 for a project that the caller may not see */
export async function listTasks(
  { data }: Pick<OverviewContext, "data">,
  { project, state, limit = 50, cursor }: TasksQuery,
  caller: Pick<Caller, "projects">,
): Promise<TaskPage> {
  if (project !== undefined) await requireProject(data, project, caller);
  const start = cursor === undefined ? Number.POSITIVE_INFINITY : (readCursor(cursor).ts ?? 0);
  const listed = new Set<string>();
  const rows: TaskRow[] = [];
  let before: number | null = start;
  for (let reads = 0; before !== null && reads < readsMax; reads++) {
    const page = await data.runs(caller.projects, {
      ...(project !== undefined && { project }),
      ...(Number.isFinite(before) && { before }),
      limit: readLength,
    });
    const tasks = newTasks(page.runs, listed);
    // A task whose newest run is after the cursor was on an earlier page.
    const found = (await data.taskRows(tasks)).filter(
      (row) => row.listed_at < start && (state === undefined || row.state === state),
    );
    rows.push(...found);
    before = page.next;
    if (rows.length >= limit && (rows.length > limit || before !== null)) {
      before = rows[limit - 1]?.listed_at ?? null;
      break;
    }
  }
  const shown = rows.slice(0, limit);
  return {
    tasks: shown.map(toTask),
    count: shown.length,
    next_cursor: before === null ? null : cursorOf(before),
  };
}

/** The tasks of these runs that are not in `listed` yet, which then has them. */
function newTasks(runs: readonly RunRow[], listed: Set<string>): TaskKey[] {
  return runs.flatMap((run) => {
    const issue = taskIssue(run);
    const task = { project: run.project, issue, pr: issue === null ? run.pr : null };
    const key = JSON.stringify(task);
    if ((task.issue === null && task.pr === null) || listed.has(key)) return [];
    listed.add(key);
    return [task];
  });
}

const toTask = ({ opening, listed_at: _, last_event_at, ...row }: TaskRow): ListedTask => ({
  ...row,
  title: opening && taskTitle((JSON.parse(opening) as Event).summary),
  last_event_at: fromMicros(last_event_at),
});
