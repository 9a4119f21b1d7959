/** @jsxImportSource preact */
/** The task of an asset: the title of its issue or pull request, as the newest event of its opening says. */
import type { AssetDetail } from "../../assets/schema.ts";
import type { FeedPage } from "../../feed/schema.ts";
import { getFeed } from "../../operations/feed.ts";
import { hasScope } from "../layout.tsx";
import { GitHubLink, taskName, taskUrl } from "../runs/links.tsx";
import { callOperation, type View } from "../view.ts";

export interface Task {
  name: string;
  /** Null when no event of its opening was received, or the visitor may not read the feed. */
  title: string | null;
  /** Its page here. */
  page: string;
  /** On GitHub. */
  url: string | null;
}

type TaskOfAsset = Pick<AssetDetail, "project" | "issue" | "pr" | "task_url">;

/** Null for an asset without a task. */
export async function loadTask(view: View, asset: TaskOfAsset): Promise<Task | null> {
  const { project, issue, pr, task_url } = asset;
  const [name, page] = [taskName(asset), taskUrl(asset)];
  if (!name || !page) return null;
  // Of an asset with both, `task_url` is the pull request's.
  const gitHubUrl = issue !== null && pr !== null ? null : task_url;
  if (!hasScope(view, "feed:read")) return { name, title: null, page, url: gitHubUrl };
  const { events } = await callOperation<FeedPage>(view, getFeed, {
    ...(issue === null ? { pr, kind: "pr.opened" } : { issue, kind: "issue.opened" }),
    ...{ project, limit: 1 },
  });
  const [opened] = events;
  const title = opened ? titleOf(opened.summary) : null;
  return { name, title, page, url: opened?.url ?? gitHubUrl };
}

/** The title in the summary of an opening: `Issue #12 opened: Draw the coast`. */
const titleOf = (summary: string): string => summary.replace(/^(Issue|PR|Pull request) #\d+ \w+: /, "");

interface TaskSectionProps {
  task: Task;
  asset: AssetDetail;
}

export function TaskSection({ task: { name, title, page, url }, asset }: TaskSectionProps) {
  const pull = { ...asset, issue: null };
  const pullUrl = asset.issue === null ? null : taskUrl(pull);
  return (
    <section>
      <h2>Made for {name}</h2>
      <p class="decision">
        <a href={page}>
          <bdi>{title ?? `All about ${name}`}</bdi>
        </a>
      </p>
      <p class="soft task-links">
        <GitHubLink href={url} of={name} />
        {pullUrl && <a href={pullUrl}>{taskName(pull)}</a>}
      </p>
    </section>
  );
}
