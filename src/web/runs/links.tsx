/** @jsxImportSource preact */
/** URLs of runs and tasks, and links to a task: its page here, and GitHub beside it. */
import { hostOf } from "../../assets/library.ts";
import type { Config } from "../../config.ts";
import { derivedRunIdPrefix } from "../../runs/rule.ts";
import type { Run } from "../../runs/schema.ts";
import { Icon } from "../icons/icons.tsx";

/** An id that the service gave is unique; a sender's is unique within its project only. */
export const runUrl = ({ id, project }: Pick<Run, "id" | "project">): string =>
  `/runs/${encodeURIComponent(id)}${id.startsWith(derivedRunIdPrefix) ? "" : `?project=${project}`}`;

/** An issue or, without one, a pull request. */
export type TaskOf = Pick<Run, "issue" | "pr">;

const taskPath = ({ issue, pr }: TaskOf, issues: string, pulls: string): string | null =>
  issue !== null ? `${issues}/${issue}` : pr !== null ? `${pulls}/${pr}` : null;

/** The page of a task; null without an issue and a pull request, or outside of a project. */
export function taskUrl({ project, ...task }: TaskOf & { project: string | null }): string | null {
  const path = taskPath(task, "issues", "pulls");
  return project && path && `/projects/${project}/${path}`;
}

/** The task on GitHub. */
export function gitHubTaskUrl(config: Config, repo: string, task: TaskOf): string | null {
  const path = taskPath(task, "issues", "pull");
  return path && `${hostOf(config.githubApiUrl)}/${repo}/${path}`;
}

/** issue #12, pull request #40 */
export const taskName = ({ issue, pr }: TaskOf): string | null =>
  issue !== null ? `issue #${issue}` : pr !== null ? `pull request #${pr}` : null;

/** A link to GitHub, beside a link to the same thing here. */
export const GitHubLink = ({ href, of }: { href: string | null; of: string }) =>
  href?.startsWith("https://") ? (
    <a class="outside" href={href} rel="noreferrer">
      GitHub
      <span class="visually-hidden">: {of}</span> <Icon name="outside" />
    </a>
  ) : null;
