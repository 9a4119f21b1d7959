/** Posts one comment per marker to a forge, then reopens the issue or pull request. */
import type { Config } from "../../core/config.ts";
import { takesComments } from "../../library/outbox/destination.ts";
import type { OutboxRow } from "../../library/rows.ts";
import { type CallForge, type ForgeIssues, PermanentError, type TaskPlace } from "../forges/forge.ts";
import { forgesByName } from "../forges/forges.ts";

/**
 * Posts the comment unless an earlier attempt did and its response was lost.
 * @throws {PermanentError} if a retry cannot succeed, any other error if it may
 */
export async function postComment(
  config: Pick<Config, "forgeApis">,
  row: Pick<OutboxRow, "forge" | "host" | "body" | "marker"> & TaskPlace,
  signal: AbortSignal,
): Promise<void> {
  if (!takesComments(config, row)) throw new Error(`no token is configured for ${row.forge} at ${row.host}`);
  const { token, url } = config.forgeApis[row.forge];
  const { issues } = forgesByName[row.forge];
  const call = forgeApi(url, issues.headers(token), signal);
  const mark = issues.mark(row.marker);
  if (!(await hasComment(issues, call, row, mark)))
    await issues.postComment(call, row, `${row.body}\n\n${mark}`);
  // Some tasks cannot be reopened, such as a merged pull request. The comment is enough.
  await issues.reopen(call, row).catch((error) => {
    if (!(error instanceof PermanentError)) throw error;
  });
}

async function hasComment(
  issues: ForgeIssues,
  call: CallForge,
  task: TaskPlace,
  mark: string,
): Promise<boolean> {
  for (let page = 1; ; page++) {
    const { bodies, isLast } = await issues.listComments(call, task, page);
    if (bodies.some((body) => body?.includes(mark))) return true;
    if (isLast) return false;
  }
}

/**
 * Sends requests to the API of a forge: the only place that connects to one. The URL is the configured one,
 * never one from a row or a webhook, so a token is sent to its own host alone; redirects are not followed.
 * @param headers those that authenticate
 */
const forgeApi =
  (baseUrl: string, headers: Record<string, string>, signal: AbortSignal): CallForge =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      signal,
      redirect: "error",
      headers: {
        accept: "application/json",
        "user-agent": "svc",
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.json();
    await response.body?.cancel();
    const { status } = response;
    // 410 Gone and 422 Unprocessable never succeed. 401, 403 and 404 may: a token's permissions can change,
    // and forges answer 404 for a repository that the token cannot see.
    if (status === 410 || status === 422) throw new PermanentError(`${method} ${path} answered ${status}`);
    throw new Error(`${method} ${path} answered ${status}`);
  };
