/** The GitHub client of the outbox: posts one comment per marker, then reopens the issue or pull request. */
import type { Config } from "../config.ts";
import { type IssueTracker, PermanentError } from "./outbox.ts";

const pageLength = 100;

export function githubIssues({
  githubApiUrl,
  githubToken,
}: Pick<Config, "githubApiUrl" | "githubToken">): IssueTracker {
  async function call(method: string, path: string, signal: AbortSignal, body?: object): Promise<unknown> {
    const response = await fetch(`${githubApiUrl}${path}`, {
      method,
      signal,
      redirect: "error",
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${githubToken}`,
        "user-agent": "svc",
        "x-github-api-version": "2022-11-28",
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.json();
    await response.body?.cancel();
    const { status } = response;
    // 410 Gone and 422 Unprocessable never succeed. 401, 403 and 404 may: a token's permissions can change,
    // and GitHub answers 404 for a repository that the token cannot see.
    if (status === 410 || status === 422) throw new PermanentError(`${method} ${path} answered ${status}`);
    throw new Error(`${method} ${path} answered ${status}`);
  }

  /** Whether an earlier attempt posted the comment but its response was lost. */
  async function hasComment(issue: string, mark: string, signal: AbortSignal): Promise<boolean> {
    for (let page = 1; ; page++) {
      const comments = (await call(
        "GET",
        `${issue}/comments?per_page=${pageLength}&page=${page}`,
        signal,
      )) as { body?: string }[];
      if (comments.some(({ body }) => body?.includes(mark))) return true;
      if (comments.length < pageLength) return false;
    }
  }

  return {
    async comment({ repo, number, body, marker }, signal) {
      const issue = `/repos/${repo}/issues/${number}`;
      const mark = `<!-- svc:${marker} -->`;
      if (!(await hasComment(issue, mark, signal)))
        await call("POST", `${issue}/comments`, signal, { body: `${body}\n\n${mark}` });
      const { state } = (await call("GET", issue, signal)) as { state?: string };
      // GitHub answers 422 for a merged pull request, which cannot be reopened. The comment is enough.
      if (state === "closed")
        await call("PATCH", issue, signal, { state: "open" }).catch((error) => {
          if (!(error instanceof PermanentError)) throw error;
        });
    },
  };
}
