/** The task of an asset: the title of its issue or pull request, as the newest event of its opening says. */

import { forges } from "../../../core/forges/schema.ts";
import { getFeed } from "../../../feed/operations/feed.ts";
import { findProject } from "../../../feed/projects/projects.ts";
import type { FeedPage } from "../../../feed/schema.ts";
import { taskTitle } from "../../../feed/tasks/task-title.ts";
import type { AssetDetail } from "../../../library/assets/schema.ts";
import { takesComments } from "../../../library/outbox/comment.ts";
import { hasScope } from "../../layout.tsx";
import { ForgeLink, type OnForge, taskFilter, taskName, taskOnForge, taskUrl } from "../../runs/links.tsx";
import { callOperation, type View } from "../../view.ts";

export interface Task {
  name: string;
  /** Null when no event of its opening was received, or the visitor may not read the feed. */
  title: string | null;
  /** Its page here. */
  page: string;
  onForge: OnForge | null;
  /** The name of the forge, if rejections are posted there. */
  commentsOn: string | null;
}

type TaskOfAsset = Pick<AssetDetail, "project" | "issue" | "task" | "pr">;

/** Null for an asset without a task. */
export async function loadTask(view: View, asset: TaskOfAsset): Promise<Task | null> {
  const { project: slug, issue, task } = asset;
  const [name, page] = [taskName(asset), taskUrl(asset)];
  if (!name || !page) return null;
  const { ctx, visitor } = view;
  const project = slug === null ? null : await findProject(ctx, slug, visitor.caller);
  const onForge = project && taskOnForge(ctx.config, project, asset);
  const commentsOn = project && takesComments(ctx.config, project) ? forges[project.forge].label : null;
  const place = { name, page, commentsOn };
  if (!hasScope(view, "feed:read")) return { ...place, title: null, onForge };
  const { events } = await callOperation<FeedPage>(view, getFeed, {
    ...taskFilter(asset),
    kind: (issue ?? task ?? null) === null ? "pr.opened" : "issue.opened",
    project: slug,
    limit: 1,
  });
  const [opened] = events;
  const title = opened ? taskTitle(opened.summary) : null;
  const url = opened?.url ?? onForge?.url;
  return { ...place, title, onForge: onForge && url ? { ...onForge, url } : null };
}

interface TaskSectionProps {
  task: Task;
  asset: AssetDetail;
}

export function TaskSection({ task: { name, title, page, onForge }, asset }: TaskSectionProps) {
  const pull = { ...asset, issue: null, task: null };
  const pullUrl = taskUrl(asset) === taskUrl(pull) ? null : taskUrl(pull);
  return (
    <section>
      <h2>Made for {name}</h2>
      <p class="decision">
        <a href={page}>
          <bdi>{title ?? `All about ${name}`}</bdi>
        </a>
      </p>
      <p class="soft task-links">
        <ForgeLink to={onForge} of={name} />
        {pullUrl && <a href={pullUrl}>{taskName(pull)}</a>}
      </p>
    </section>
  );
}
