/** GitHub as the outbox needs it: one comment for each marker, then the task open again. */
import type { Config } from "../config.ts";
import { type Tasks, Undeliverable } from "./outbox.ts";

const pageLength = 100;

export function githubTasks({
  githubApiUrl,
  githubToken,
}: Pick<Config, "githubApiUrl" | "githubToken">): Tasks {
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
    // Gone, unprocessable: no retry mends these. What a token may do can change, and what it may not see is
    // 404 to it.
    if (status === 410 || status === 422) throw new Undeliverable(`${method} ${path} answered ${status}`);
    throw new Error(`${method} ${path} answered ${status}`);
  }

  /** Whether an earlier try got through although its answer did not. */
  async function isThere(issue: string, mark: string, signal: AbortSignal): Promise<boolean> {
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
      if (!(await isThere(issue, mark, signal)))
        await call("POST", `${issue}/comments`, signal, { body: `${body}\n\n${mark}` });
      const { state } = (await call("GET", issue, signal)) as { state?: string };
      // A merged pull request cannot be reopened; the comment stands all the same.
      if (state === "closed")
        await call("PATCH", issue, signal, { state: "open" }).catch((error) => {
          if (!(error instanceof Undeliverable)) throw error;
        });
    },
  };
}
