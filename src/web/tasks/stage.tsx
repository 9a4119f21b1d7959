/** Where a task stands, and what it is called. */

import type { ListedTask, TaskStage } from "../../overview/tasks/schema.ts";
import { capitalize } from "../format.ts";
import { type IconName, StatusLabel, type Tone } from "../icons/icons.tsx";
import { taskName, taskUrl } from "../runs/links.tsx";

export const stageStyles: Record<TaskStage, { label: string; icon: IconName; tone: Tone }> = {
  requested: { label: "Requested", icon: "flag", tone: "quiet" },
  running: { label: "Running", icon: "run", tone: "info" },
  waiting: { label: "Waiting for review", icon: "clock", tone: "warn" },
  rejected: { label: "Rejected", icon: "cross", tone: "bad" },
  stopped: { label: "Stopped", icon: "layers", tone: "quiet" },
  merged: { label: "Merged", icon: "check", tone: "good" },
  closed: { label: "Closed", icon: "check", tone: "quiet" },
};

export function Stage({ stage }: Pick<ListedTask, "stage">) {
  const { label, icon, tone } = stageStyles[stage];
  return <StatusLabel icon={icon} tone={tone} text={label} />;
}

/** `#466`, `PROJ-123`, or `#466 and pull request #470`; a pull request without an issue is `pull request #41`. */
export function TaskNumbers({ task: { issue, task: key, pr, pulls } }: { task: ListedTask }) {
  if (issue === null && key === null) return <span class="soft">pull request #{pr}</span>;
  return (
    <span class="soft">
      {key ?? `#${issue}`}
      {pulls.map(({ number }) => ` · PR\u00a0#${number}`).join("")}
    </span>
  );
}

/** The title of a task, as a link to its page. */
export const TaskLink = ({ task }: { task: ListedTask }) => (
  <a href={taskUrl(task) ?? ""}>
    <bdi>{task.title ?? capitalize(taskName(task) ?? "")}</bdi>
  </a>
);
