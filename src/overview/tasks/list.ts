/** Lists tasks, and counts them by stage. */

import type { Caller } from "../../core/auth/caller.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import { taskNumberOf } from "../../core/task-key.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { lostBefore } from "../../feed/runs/runs.ts";
import type { OverviewContext } from "../context.ts";
import type { FoundTask, TaskKey } from "../rows.ts";
import { toTask } from "./listed-task.ts";
import type { BoardQuery, ListedTask, TaskBoard, TaskPage, TasksQuery } from "./schema.ts";

type TaskContext = Pick<OverviewContext, "data" | "config" | "now">;
type Reader = Pick<Caller, "projects">;

/** One page of tasks. @throws 404 for a project that the caller may not see */
export async function listTasks(ctx: TaskContext, query: TasksQuery, caller: Reader): Promise<TaskPage> {
  const { sort = "recent", limit = 50, cursor, ...filter } = query;
  if (filter.project !== undefined) await requireProject(ctx.data, filter.project, caller);
  const offset = cursor === undefined || sort === "recent" ? 0 : Math.max(0, readCursor(cursor).ts ?? 0);
  const found = await ctx.data.taskKeys(caller.projects, {
    ...filter,
    sort,
    lost: lostBefore(ctx),
    limit: limit + 1, // one more tells whether there are more
    offset,
    ...(cursor !== undefined && sort === "recent" && { after: lastTask(cursor) }),
  });
  const page = found.slice(0, limit);
  const tasks = await listedTasks(ctx, page);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  const next = sort === "recent" ? last && cursorOfTask(last) : cursorOf(offset + limit);
  return { tasks, count: tasks.length, next_cursor: hasMore ? (next ?? null) : null };
}

/** The tasks by their stage. @throws 404 for a project that the caller may not see */
export async function loadBoard(
  ctx: TaskContext,
  { project, limit = 20 }: BoardQuery,
  caller: Reader,
): Promise<TaskBoard> {
  if (project !== undefined) await requireProject(ctx.data, project, caller);
  const found = await ctx.data.taskBoard(caller.projects, { project, lost: lostBefore(ctx), limit });
  const listed = await listedTasks(
    ctx,
    found.flatMap(({ tasks }) => tasks),
  );
  const byKey = new Map(listed.map((task) => [nameOf({ ...task, issue: taskNumberOf(task) }), task]));
  return {
    columns: found.map(({ stage, count, tasks }) => ({
      stage,
      count,
      tasks: tasks.flatMap((task) => byKey.get(nameOf(task)) ?? []),
    })),
  };
}

/** In the order that they were found in. */
async function listedTasks(ctx: TaskContext, found: readonly FoundTask[]): Promise<ListedTask[]> {
  const rows = await ctx.data.taskRows(found, lostBefore(ctx));
  const byKey = new Map(rows.map((row) => [nameOf(row), toTask(row)]));
  return found.flatMap((task) => byKey.get(nameOf(task)) ?? []);
}

const nameOf = ({ project, issue, pr }: TaskKey): string => `${project}/${issue ?? 0}/${pr ?? 0}`;

const cursorOfTask = (task: FoundTask): string => cursorOf(task.listed_at, `/${nameOf(task)}`);

function lastTask(cursor: string): FoundTask {
  const { ts, rest } = readCursor(cursor);
  const [, project = "", issue, pr] = rest.split("/");
  return { project, issue: Number(issue) || null, pr: Number(pr) || null, listed_at: ts ?? 0 };
}
