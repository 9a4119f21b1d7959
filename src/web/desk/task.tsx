/** @jsxImportSource preact */
/** The task of an asset: the title of its issue or pull request, as the newest event of its opening says. */
import type { AssetDetail } from "../../assets/schema.ts";
import type { FeedPage } from "../../feed/schema.ts";
import { getFeed } from "../../operations/feed.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, type View } from "../view.ts";

export interface Task {
  /** issue #12 */
  name: string;
  /** Null when no event of its opening was received, or the visitor may not read the feed. */
  title: string | null;
  /** On GitHub. */
  url: string | null;
}

/** Null for an asset without a task. */
export async function loadTask(
  view: View,
  { project, issue, pr, task_url }: Pick<AssetDetail, "project" | "issue" | "pr" | "task_url">,
): Promise<Task | null> {
  const of =
    issue !== null ? { issue, kind: "issue.opened" } : pr !== null ? { pr, kind: "pr.opened" } : null;
  if (!of) return null;
  const name = issue !== null ? `issue #${issue}` : `pull request #${pr}`;
  if (!hasScope(view, "feed:read")) return { name, title: null, url: task_url };
  const { events } = await callOperation<FeedPage>(view, getFeed, { project, ...of, limit: 1 });
  const [opened] = events;
  return { name, title: opened ? titleOf(opened.summary) : null, url: task_url ?? opened?.url ?? null };
}

/** The title in the summary of an opening: `Issue #12 opened: Draw the coast`. */
export const titleOf = (summary: string): string =>
  summary.replace(/^(Issue|PR|Pull request) #\d+ \w+: /, "");

export const TaskSection = ({ task: { name, title, url } }: { task: Task }) => (
  <section>
    <h2>Made for {name}</h2>
    {title && <p class="decision">{title}</p>}
    {url && (
      <p class="soft">
        <a href={url} rel="noreferrer">
          Open {name} on GitHub
        </a>
      </p>
    )}
  </section>
);
