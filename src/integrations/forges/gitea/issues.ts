/** Issues and pull requests in the API of Gitea and Forgejo, which treats a pull request as an issue. */
import type { ForgeIssues, TaskPlace } from "../../outbox/tracker.ts";
import { htmlMark } from "../html-mark.ts";

const pathOf = ({ repo, number }: TaskPlace): string => `/repos/${repo}/issues/${number}`;

interface Issue {
  state?: string;
  pull_request?: { merged?: boolean } | null;
}

export const giteaIssues: ForgeIssues = {
  headers: (token) => ({ authorization: `token ${token}` }),
  mark: htmlMark,
  /** The list of an issue's comments has no pages. */
  async listComments(call, task) {
    const comments = (await call("GET", `${pathOf(task)}/comments`)) as { body?: string }[];
    return { bodies: comments.map(({ body }) => body), isLast: true };
  },
  postComment: (call, task, body) => call("POST", `${pathOf(task)}/comments`, { body }),
  async reopen(call, task) {
    const { state, pull_request } = (await call("GET", pathOf(task))) as Issue;
    if (state === "closed" && !pull_request?.merged) await call("PATCH", pathOf(task), { state: "open" });
  },
};
