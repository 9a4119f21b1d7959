/** What the tasks and runs of a usage report are called. */
import type { Caller } from "../../core/auth/caller.ts";
import type { Event } from "../../feed/schema.ts";
import { taskTitle } from "../../feed/tasks/task-title.ts";
import type { OverviewContext } from "../context.ts";
import type { TaskKey } from "../rows.ts";

/** A row of a report: a task, or a run. */
interface Work {
  project: string | null;
  issue: number | null;
  pr: number | null;
  run_id: string | null;
}

/** By `keyOfWork`. Without an opening in the feed, a task has no title, and its runs have none. */
export type WorkTitles = ReadonlyMap<string, string>;

export const keyOfWork = ({ project, issue, pr, run_id }: Work): string =>
  JSON.stringify([project, run_id ?? [issue, issue === null ? pr : null]]);

/** The titles of tasks, and those of the tasks of runs. */
export async function loadWorkTitles(
  { data }: Pick<OverviewContext, "data">,
  works: readonly Work[],
  { projects }: Pick<Caller, "projects">,
): Promise<WorkTitles> {
  const places = await data.runPlaces(
    projects,
    works.flatMap(({ run_id }) => run_id ?? []),
  );
  const taskOf = new Map(places.map((run) => [keyOfWork({ ...run, run_id: run.id }), run]));
  const tasks = works.flatMap((work) => {
    const { project, issue, pr } = taskOf.get(keyOfWork(work)) ?? work;
    return project !== null && (issue ?? pr) !== null ? [{ project, issue, pr, work: keyOfWork(work) }] : [];
  });
  const keys = new Map<string, TaskKey>(
    tasks.map(({ project, issue, pr }) => {
      const key = { project, issue, pr: issue === null ? pr : null };
      return [keyOfWork({ ...key, run_id: null }), key];
    }),
  );
  const openings = keys.size > 0 ? await data.taskOpenings([...keys.values()]) : [];
  const titles = new Map(
    openings.map(({ opening, ...key }) => [
      keyOfWork({ ...key, run_id: null }),
      taskTitle((JSON.parse(opening) as Event).summary),
    ]),
  );
  return new Map(
    tasks.flatMap((task) => {
      const title = titles.get(keyOfWork({ ...task, run_id: null }));
      return title ? [[task.work, title] as const] : [];
    }),
  );
}
