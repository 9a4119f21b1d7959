/** URLs of runs and tasks, and links to a task: its page here, and its forge beside it. */
import type { Config } from "../../core/config.ts";
import { forges, type RepositoryPlace } from "../../core/forges/schema.ts";
import { taskUrlOn } from "../../feed/forges/task-url.ts";
import type { TaskOf } from "../../feed/runs/page-url.ts";
import { Icon } from "../icons/icons.tsx";

export { runUrl, type TaskOf, taskFilter, taskUrl } from "../../feed/runs/page-url.ts";

/** The open issues of a project, also those without runs. */
export const openIssuesUrl = (project: string): string =>
  `/tasks?${new URLSearchParams({ as: "table", project, state: "open" })}`;

/** issue #12, PROJ-123, pull request #40 */
export const taskName = ({ issue, task, pr }: TaskOf): string | null =>
  task != null ? task : issue !== null ? `issue #${issue}` : pr !== null ? `pull request #${pr}` : null;

/** A page on a forge or in a tracker: its URL, and the name of the forge or the host of the tracker. */
export interface OnForge {
  url: string;
  label: string;
}

/** The task on the forge of its project, or in its tracker. */
export function taskOnForge(
  config: Config,
  project: RepositoryPlace & { task_url?: string | null },
  task: TaskOf,
): OnForge | null {
  const url = taskUrlOn(config, project, task);
  if (url === null) return null;
  return { url, label: task.task == null ? forges[project.forge].label : new URL(url).host };
}

/** A link to the forge, beside a link to the same thing here. */
export const ForgeLink = ({ to, of }: { to: OnForge | null; of: string }) =>
  to && /^https?:\/\//.test(to.url) ? (
    <a class="outside" href={to.url} rel="noreferrer">
      {to.label}
      <span class="visually-hidden">: {of}</span> <Icon name="outside" />
    </a>
  ) : null;
