/** @jsxImportSource preact */
/** URLs of runs and tasks, and links to a task: its page here, and its forge beside it. */
import type { Config } from "../../core/config.ts";
import { forges, type RepositoryPlace } from "../../core/forges/schema.ts";
import { taskUrlOn } from "../../feed/forges/task-url.ts";
import type { Run } from "../../feed/runs/schema.ts";
import { Icon } from "../icons/icons.tsx";

export { runUrl } from "../../feed/runs/page-url.ts";

/** An issue or, without one, a pull request. */
export type TaskOf = Pick<Run, "issue" | "pr">;

const taskPath = ({ issue, pr }: TaskOf, issues: string, pulls: string): string | null =>
  issue !== null ? `${issues}/${issue}` : pr !== null ? `${pulls}/${pr}` : null;

/** The page of a task; null without an issue and a pull request, or outside of a project. */
export function taskUrl({ project, ...task }: TaskOf & { project: string | null }): string | null {
  const path = taskPath(task, "issues", "pulls");
  return project && path && `/projects/${project}/${path}`;
}

/** The open issues of a project, also those without runs. */
export const openIssuesUrl = (project: string): string =>
  `/tasks?${new URLSearchParams({ as: "table", project, state: "open" })}`;

/** issue #12, pull request #40 */
export const taskName = ({ issue, pr }: TaskOf): string | null =>
  issue !== null ? `issue #${issue}` : pr !== null ? `pull request #${pr}` : null;

/** A page on a forge: its URL, and the name of the forge. */
export interface OnForge {
  url: string;
  label: string;
}

/** The task on the forge of its project. */
export function taskOnForge(config: Config, project: RepositoryPlace, task: TaskOf): OnForge | null {
  const url = taskUrlOn(config, project, task);
  return url === null ? null : { url, label: forges[project.forge].label };
}

/** A link to the forge, beside a link to the same thing here. */
export const ForgeLink = ({ to, of }: { to: OnForge | null; of: string }) =>
  to?.url.startsWith("https://") ? (
    <a class="outside" href={to.url} rel="noreferrer">
      {to.label}
      <span class="visually-hidden">: {of}</span> <Icon name="outside" />
    </a>
  ) : null;
