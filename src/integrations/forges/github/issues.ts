/** Issues and pull requests in GitHub's REST API, which treats a pull request as an issue. */
import type { ForgeIssues, TaskPlace } from "../../outbox/tracker.ts";
import { htmlMark } from "../html-mark.ts";

const pageLength = 100;

const pathOf = ({ repo, number }: TaskPlace): string => `/repos/${repo}/issues/${number}`;

export const githubIssues: ForgeIssues = {
  headers: (token) => ({
    accept: "application/vnd.github+json",
    authorization: `Bearer ${token}`,
    "x-github-api-version": "2022-11-28",
  }),
  mark: htmlMark,
  async listComments(call, task, page) {
    const query = `per_page=${pageLength}&page=${page}`;
    const comments = (await call("GET", `${pathOf(task)}/comments?${query}`)) as { body?: string }[];
    return { bodies: comments.map(({ body }) => body), isLast: comments.length < pageLength };
  },
  postComment: (call, task, body) => call("POST", `${pathOf(task)}/comments`, { body }),
  /** GitHub answers 422 for a merged pull request. */
  async reopen(call, task) {
    const { state } = (await call("GET", pathOf(task))) as { state?: string };
    if (state === "closed") await call("PATCH", pathOf(task), { state: "open" });
  },
};
