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
  url: string;
  gitHubUrl: string | null;
}

/** Null for an asset without a task. */
export async function loadTask(view: View, asset: AssetDetail): Promise<Task | null> {
  const { project, issue, pr, task_url } = asset;
  const [name, url] = [taskName(asset), taskUrl(asset)];
  if (!name || !url) return null;
  const task = { name, url };
  if (!hasScope(view, "feed:read")) return { ...task, title: null, gitHubUrl: task_url };
  const { events } = await callOperation<FeedPage>(view, getFeed, {
    ...(issue === null ? { pr, kind: "pr.opened" } : { issue, kind: "issue.opened" }),
    ...{ project, limit: 1 },
  });
  const [opened] = events;
  const title = opened ? titleOf(opened.summary) : null;
  return { ...task, title, gitHubUrl: task_url ?? opened?.url ?? null };
}

/** The title in the summary of an opening: `Issue #12 opened: Draw the coast`. */
const titleOf = (summary: string): string => summary.replace(/^(Issue|PR|Pull request) #\d+ \w+: /, "");

export const TaskSection = ({ task: { name, title, url, gitHubUrl } }: { task: Task }) => (
  <section>
    <h2>Made for {name}</h2>
    <p class="decision">
      <a href={url}>
        <bdi>{title ?? `All about ${name}`}</bdi>
      </a>{" "}
      <GitHubLink href={gitHubUrl} of={name} />
    </p>
  </section>
);
