/** Issues and pull requests in Bitbucket Cloud's REST API. */
import type { ForgeIssues, TaskPlace } from "../../outbox/tracker.ts";

const pageLength = 100;

const pathOf = ({ repo, number, is_pull }: TaskPlace): string =>
  `/repositories/${repo}/${is_pull ? "pullrequests" : "issues"}/${number}`;

interface Comments {
  values: { content?: { raw?: string } }[];
  next?: string;
}

const closedStates = new Set(["resolved", "closed", "invalid", "duplicate", "wontfix"]);

export const bitbucketIssues: ForgeIssues = {
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  // Bitbucket shows HTML comments as text. A link definition that nothing refers to is not shown.
  mark: (marker) => `[svc-${marker}]: https://bitbucket.org`,
  async listComments(call, task, page) {
    const query = `pagelen=${pageLength}&page=${page}`;
    const { values, next } = (await call("GET", `${pathOf(task)}/comments?${query}`)) as Comments;
    return { bodies: values.map(({ content }) => content?.raw), isLast: !next };
  },
  postComment: (call, task, body) => call("POST", `${pathOf(task)}/comments`, { content: { raw: body } }),
  /** A declined pull request cannot be reopened. */
  async reopen(call, task) {
    if (task.is_pull) return;
    const { state } = (await call("GET", pathOf(task))) as { state?: string };
    if (closedStates.has(state ?? "")) await call("PUT", pathOf(task), { state: "open" });
  },
};
