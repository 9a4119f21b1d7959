/** The tasks that cost most in a range of days. */
import type { Projects } from "../../../src/core/rows.ts";
import type { ProjectRange, TaskCount, TaskUsage } from "../../../src/feed/rows.ts";
import type { UsageSums } from "../../../src/feed/usage/schema.ts";
import { sumOf } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { markIncomplete } from "../pending.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import { activeSlugs } from "./slugs.ts";
import { leastOfTop, readTasks } from "./task-days.ts";

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
    .sort((a, b) => byExpense(a.task, b.task) || byName(a, b))
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

const tokensOf = ({ tokens_in, tokens_out }: UsageSums): number => tokens_in + tokens_out;
const byExpense = (a: UsageSums, b: UsageSums): number =>
  b.cost_equiv - a.cost_equiv || tokensOf(b) - tokensOf(a);
type Named = { project: string };
const byName = (a: Named, b: Named): number => Number(a.project > b.project) - Number(a.project < b.project);
