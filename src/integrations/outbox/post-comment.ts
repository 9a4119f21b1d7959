/** Posts one comment per marker to a forge, then reopens the issue or pull request. */
import type { Config } from "../../core/config.ts";
import type { ForgeName } from "../../core/forges/schema.ts";
import { takesComments } from "../../library/outbox/destination.ts";
import type { OutboxRow } from "../../library/rows.ts";
import { bitbucketIssues } from "../forges/bitbucket/issues.ts";
import { giteaIssues } from "../forges/gitea/issues.ts";
import { githubIssues } from "../forges/github/issues.ts";
import { gitlabIssues } from "../forges/gitlab/issues.ts";
import { forgeApi } from "./forge-api.ts";
import { type CallForge, type ForgeIssues, PermanentError, type TaskPlace } from "./tracker.ts";

const issuesOf: Record<ForgeName, ForgeIssues> = {
  github: githubIssues,
  gitlab: gitlabIssues,
  gitea: giteaIssues,
  bitbucket: bitbucketIssues,
};

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
  const issues = issuesOf[row.forge];
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
