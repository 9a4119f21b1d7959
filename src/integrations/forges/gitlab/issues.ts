/** Issues and merge requests in GitLab's REST API (https://docs.gitlab.com/api/notes/). */
import type { ForgeIssues, TaskPlace } from "../../outbox/tracker.ts";
import { htmlMark } from "../html-mark.ts";

const pageLength = 100;

/** The path of a project is one segment, with its slashes escaped. */
const pathOf = ({ repo, number, is_pull }: TaskPlace): string =>
  `/projects/${encodeURIComponent(repo)}/${is_pull ? "merge_requests" : "issues"}/${number}`;

export const gitlabIssues: ForgeIssues = {
  headers: (token) => ({ "private-token": token }),
  mark: htmlMark,
  async listComments(call, task, page) {
    const query = `per_page=${pageLength}&page=${page}`;
    const notes = (await call("GET", `${pathOf(task)}/notes?${query}`)) as { body?: string }[];
    return { bodies: notes.map(({ body }) => body), isLast: notes.length < pageLength };
  },
  postComment: (call, task, body) => call("POST", `${pathOf(task)}/notes`, { body }),
  /** A merged merge request has the state `merged`. */
  async reopen(call, task) {
    const { state } = (await call("GET", pathOf(task))) as { state?: string };
    if (state === "closed") await call("PUT", pathOf(task), { state_event: "reopen" });
  },
};
