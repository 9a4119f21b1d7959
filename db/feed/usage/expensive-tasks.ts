/** The tasks that cost most in a range of days. */
import type { Projects } from "../../../src/core/rows.ts";
import type { ProjectRange, TaskCount, TaskUsage } from "../../../src/feed/rows.ts";
import { sumOf } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { markIncomplete } from "../pending.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import { activeSlugs } from "./slugs.ts";
import { byUsage, compare, leastOfTop, readTasks } from "./task-days.ts";

export async function expensiveTasks(
  session: Session,
  projects: Projects,
  query: ProjectRange & { limit: number },
): Promise<TaskUsage[]> {
  const slugs = await activeSlugs(session, projects, query);
  const { found, isPending } = await readTasks(session, slugs, query);
  const tasks = [...found].flatMap(([project, { top }]) =>
    top.slice(0, query.limit).map((task) => ({ project, task })),
  );
  const least = leastOfTop(
    tasks.map(({ task }) => task.cost_equiv),
    query.limit,
  );
  const top = tasks
    .filter(({ task }) => task.cost_equiv >= least)
    .sort((a, b) => byUsage(a.task, b.task) || compare(a.project, b.project))
    .slice(0, query.limit)
    .map(({ project, task }) => ({ ...task, project }));
  return markIncomplete([{ pending: isPending }], await withTaskKeys(session, top));
}

export async function countTasks(
  session: Session,
  projects: Projects,
  query: ProjectRange,
): Promise<TaskCount> {
  const slugs = await activeSlugs(session, projects, query);
  const { found, isPending } = await readTasks(session, slugs, query);
  const tasks = [...found.values()];
  return markIncomplete([{ pending: isPending }], {
    count: tasks.reduce((sum, { count }) => sum + count, 0),
    unattributed: sumOf(tasks.map(({ unattributed }) => unattributed)),
  });
}
