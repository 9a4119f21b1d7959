/** The pages of runs and tasks. */

import type { Event } from "../schema.ts";
import { derivedRunIdPrefix } from "./rule.ts";
import type { Run } from "./schema.ts";

/** An id that the service gave is unique; a sender's is unique within its project only. */
export const runUrl = ({ id, project }: Pick<Run, "id" | "project">): string =>
  `/runs/${encodeURIComponent(id)}${id.startsWith(derivedRunIdPrefix) ? "" : `?project=${project}`}`;

/** An issue, a task of a tracker or, without one, a pull request. */
export type TaskOf = Pick<Run, "issue" | "pr"> & Pick<Event, "task">;

/** The page of a task; null without a task, or outside of a project. */
export function taskUrl({ project, issue, task, pr }: TaskOf & { project: string | null }): string | null {
  const path =
    task != null ? `tasks/${task}` : issue !== null ? `issues/${issue}` : pr !== null ? `pulls/${pr}` : null;
  return project && path && `/projects/${project}/${path}`;
}

/** The filter that finds what is of a task: `task`, `issue` or, without both, `pr`; none without a task. */
export const taskFilter = ({ issue, task, pr }: TaskOf): { task?: string; issue?: number; pr?: number } =>
  task != null ? { task } : issue !== null ? { issue } : pr === null ? {} : { pr };
